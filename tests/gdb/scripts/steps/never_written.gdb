# expect: \$1 = 0
# expect: not been written before; this is where you were
# expect: same 1
break -qualified add
continue
print total
set $here = $pc
set $stack = $sp
python
try:
    gdb.execute("last-write total")
except gdb.error as problem:
    print(problem)
end
printf "same %d\n", $pc == $here && $sp == $stack && n == 1
