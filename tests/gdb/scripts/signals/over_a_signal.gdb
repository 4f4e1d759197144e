# expect: \$1 = 0
# expect: \$2 = 3
# expect: \$3 = 0
break main
continue
next
print seen
next
print seen
reverse-continue
print seen
