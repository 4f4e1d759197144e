# expect: Value = 0
# expect: add \(n=1\)
# expect: Value = 1
# expect: add \(n=2\)
# expect: Value = 5
# expect: add \(n=3\)
tbreak main
continue
rwatch total
continue
continue
continue
