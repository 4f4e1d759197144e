# expect: the recording ends here, with exit status 3
# expect: Breakpoint 1, at_end
# expect: in __run_exit_handlers \(status=3
# expect: \$1 = 1
# expect: \$2 = 2
# expect: Breakpoint 1, at_end
break at_end
continue
backtrace
print steps
continue
print steps
reverse-continue
