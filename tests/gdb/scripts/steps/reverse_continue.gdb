# expect: Breakpoint 1, square \(n=4\)
# expect: Breakpoint 1, square \(n=5\)
# expect: Breakpoint 1, square \(n=4\)
# expect: No more reverse-execution history
break square if n >= 4
continue
continue
reverse-continue
reverse-continue
