# expect: \$1 = 3
# expect: New value = 2
# expect: area
# expect: in main
continue
print measured
last-write measured
backtrace
