# options: --rank=1
# expect: received signal SIGSEGV
# expect: use \(answer=0x0\)
# expect: in main
# expect: \$1 = 96
continue
backtrace
up
print answer
