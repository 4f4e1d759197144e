# options: -g 0:0
# expect: Breakpoint 1, sum
# expect: Breakpoint 1, sum
# expect: received signal SIGSEGV
break sum
continue
continue
continue
