# expect: Breakpoint 1, handle
# expect: in main|main \(\)
# expect: Breakpoint 1, handle
break handle
continue
finish
backtrace
reverse-continue
