# options: --rank=1
# expect: opens at the crash
# expect: in main
# expect: tell \(round=4, digit=5
# expect: tell \(round=3, digit=1
# never: not found again|too long
backtrace
break tell
reverse-continue
reverse-continue
