# expect: Breakpoint 1
# expect: in main \(\)
break count
continue
thread apply all backtrace
