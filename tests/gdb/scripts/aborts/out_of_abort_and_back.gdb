# expect: Breakpoint 1, examine
# expect: \$1 = -1
# expect: Breakpoint 1, examine
# expect: \$2 = 1
# expect: SIGABRT
break examine
reverse-continue
print level
reverse-continue
print level
delete
continue
