# options: --rank=1
# expect: opens at the crash
# expect: use \(answer=0x0\)
# expect: in main
# expect: \$1 = 96
# expect: main \(
# expect: -location answer
# expect: New value = 0
# never: not found again
backtrace
up
print answer
reverse-next
reverse-next
last-write answer
