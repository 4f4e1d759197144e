# expect: Temporary breakpoint .*, main
# expect: square \(n=1\)
# expect: Value returned is \$1 = 1
# expect: 13
# expect: \$2 = 1
tbreak main
continue
next
next
step
next
step
next
finish
next
next
print total
