# expect: Breakpoint 1.*write
# expect: in _start
# expect: Breakpoint 1.*write
# expect: No more reverse-execution history
continue
break write
reverse-continue
backtrace
restart
continue
reverse-continue
