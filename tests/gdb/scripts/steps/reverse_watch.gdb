# expect: \$1 = 55
# expect: Old value = 55\nNew value = 30
# expect: \$2 = 5
# expect: Old value = 30\nNew value = 14
continue
print total
watch total
reverse-continue
print n
reverse-continue
