# expect: Breakpoint 1, handle
# expect: in main
# expect: \$1 = 1
# expect: Breakpoint 1, handle
# expect: \$2 = 0
break handle
continue
backtrace
continue
print seen
reverse-continue
print seen
