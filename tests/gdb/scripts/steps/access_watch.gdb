# expect: Value = 55
# expect: main \(\)
# expect: Value = 55
# expect: Old value = 55\nNew value = 30
# expect: add \(n=5\)
break 19
continue
delete
awatch total
continue
frame
reverse-continue
reverse-continue
