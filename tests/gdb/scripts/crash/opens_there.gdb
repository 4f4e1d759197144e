
# expect: sum \(node=0x10\)
# expect: #0 .*sum \(node=0x10\)(.*\n)*#1 .* in main
# expect: 0x10
backtrace
print node
