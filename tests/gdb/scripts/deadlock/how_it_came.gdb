# expect: take \(
# expect: first\(mine\)
# expect: No more reverse-execution history
continue
tbreak take
reverse-continue
next
tbreak take
reverse-continue
reverse-continue
