# expect: square \(n=1\)
# expect: \$1 = 0
# expect: add \(n=1\)
# expect: total \+= part
# expect: \$2 = 1
# expect: main \(\) at .*:19
# expect: \$3 = 55
tbreak main
continue
advance square
print total
until 13
advance 13
next
print total
finish
until 19
print total
