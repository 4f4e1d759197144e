# expect: breakpoint 1, square \(n=2\)
# expect: add \(n=2\)
# expect: int part = square\(n\)
# expect: \$1 = 1
tbreak square if n == 2
continue
reverse-finish
print total
