# expect: breakpoint 1, add \(n=5\)
# expect: No breakpoints or watchpoints
# expect: \$1 = 30
continue
tbreak -qualified add
reverse-continue
info breakpoints
print total
