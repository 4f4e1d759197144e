# expect: the recording ends here, with signal 14
# expect: slot 1, event
# expect: slot 2, event
# expect: take
continue
waits
thread apply all backtrace
