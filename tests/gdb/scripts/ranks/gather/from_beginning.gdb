# options: --rank=1 -g 0:0
# expect: main \(
# expect: received signal SIGSEGV
# expect: use \(answer=0x0\)
# expect: No more reverse-execution history
# expect: in _start
# expect: No more reverse-execution history
continue
backtrace
reverse-continue
reverse-stepi
