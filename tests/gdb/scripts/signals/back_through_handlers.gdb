# expect: \$1 = 3
# expect: New value = 2
# expect: handle
# expect: New value = 1
continue
print seen
watch seen
reverse-continue
backtrace
reverse-continue
