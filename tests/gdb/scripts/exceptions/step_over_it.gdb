# expect: \$1 = 0
# expect: \$2 = 1
# expect: \$3 = 0
# expect: \$4 = 3
break main
continue
next
next
print caught
next
print caught
reverse-next
print caught
delete
continue
print caught
