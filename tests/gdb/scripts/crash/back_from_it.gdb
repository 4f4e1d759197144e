# expect: sum \(node=0x10\)
# expect: moved 1
# expect: Breakpoint 1, sum \(node=0x[0-9a-f]+ <first>\)
# expect: \$1 = 1
# expect: received signal SIGSEGV
frame
set $here = $pc
reverse-stepi
printf "moved %d\n", $pc != $here
break sum
reverse-continue
print node->value
delete
continue
