# expect: Breakpoint 1
# expect: pthread_join
# expect: in main \(\)
break count
continue
thread apply all backtrace
