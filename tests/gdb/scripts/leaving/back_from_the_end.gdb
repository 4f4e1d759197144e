# expect: \$1 = 15
# expect: New value = 4
# expect: slot 1
# expect: \$2 = 4
# expect: \$3 = 15
continue
print rounds[0] + rounds[1] + rounds[2]
reverse-stepi
info threads
last-write rounds[0]
info threads
print rounds[0]
continue
print rounds[0] + rounds[1] + rounds[2]
