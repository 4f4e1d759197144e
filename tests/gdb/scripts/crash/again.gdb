# expect: sum \(node=0x10\)
# expect: received signal SIGSEGV
# expect: #0 .*sum \(node=0x10\)
frame
restart
continue
backtrace
