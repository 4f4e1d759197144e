# expect: \$1 = 20
# expect: \$2 = 2
# expect: \$3 = 19
continue
print mine[2]
last-write mine[2]
print id
print mine[2]
