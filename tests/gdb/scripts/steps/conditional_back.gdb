# expect: Breakpoint 1, add \(n=2\)
# expect: \$1 = 1
# expect: No more reverse-execution history
# expect: Breakpoint 1, add \(n=2\)
continue
break -qualified add if n == 2
reverse-continue
print total
reverse-continue
continue
