# expect: anaphora: the replay differs from the recording in
# expect: anaphora: the replay differs from the recording here
# expect: where the replay differs from the recording$
# never: No more reverse-execution history
# never: the end of the recording
continue
when
continue
