# expect: same 1
# expect: same 1
tbreak square
continue
stepi
stepi
set $here = $pc
set $stack = $sp
reverse-stepi
stepi
printf "same %d\n", $pc == $here && $sp == $stack
stepi
reverse-stepi
printf "same %d\n", $pc == $here && $sp == $stack
