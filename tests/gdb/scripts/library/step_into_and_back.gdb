# expect: measure \(width=1, height=10\)
# expect: area \(width=1, height=10\)
# expect: \$1 = 0
# expect: in measure \(width=1
# expect: in main \(\)
tbreak main
continue
next
step
step
print measured
reverse-finish
reverse-finish
