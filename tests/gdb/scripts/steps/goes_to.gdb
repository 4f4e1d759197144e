# options: -g 0:60
# expect: ^0:6\d \(all threads: 0:6\d\)
# expect: No more reverse-execution history
# expect: ^0:0
# expect: the end of the recording
when
reverse-continue
when
continue
when
