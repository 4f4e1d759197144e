# expect: \$1 = 60
# expect: New value = 59
# expect: New value = 58
# expect: counter 58
continue
print counter
watch counter
reverse-continue
reverse-continue
printf "counter %ld\n", counter
