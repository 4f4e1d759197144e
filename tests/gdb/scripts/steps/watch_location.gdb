# expect: Old value = 14\nNew value = 30
# expect: \$1 = 4
# expect: Old value = 30\nNew value = 14
# expect: \$2 = 14
tbreak main
continue
watch -l total if total > 20
continue
print n
delete
watch -l total
reverse-continue
print total
