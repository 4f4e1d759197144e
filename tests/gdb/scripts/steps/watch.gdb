# expect: Old value = 0\nNew value = 1
# expect: Old value = 1\nNew value = 5
# expect: in add|add \(n=2\)
tbreak main
continue
watch total
continue
continue
