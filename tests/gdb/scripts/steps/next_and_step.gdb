# expect: Temporary breakpoint .*, main
# expect: add \(n=1\)
# expect: square \(n=1\)
# expect: Value returned is \$1 = 1
# expect: 14
# expect: \$2 = 1
tbreak main
continue
next
step
step
next
finish
next
next
print total
