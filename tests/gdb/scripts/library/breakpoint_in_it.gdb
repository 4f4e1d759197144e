# expect: Breakpoint 2, measure \(width=1, height=10\)
# expect: Breakpoint 2, measure \(width=2
# expect: Breakpoint 2, measure \(width=1
# expect: Breakpoint 2, measure \(width=1
# expect: libshapes
tbreak main
continue
break measure
continue
continue
reverse-continue
restart
continue
info sharedlibrary
