# expect: in examine
# expect: \$1 = -1
# expect: New value = 1
# expect: lower \(by=2\)
backtrace
print level
last-write level
backtrace
