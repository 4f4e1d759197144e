# expect: New value = 30
# expect: \$1 = 25
continue
last-write total
print part
