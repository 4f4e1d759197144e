# options: --rank=0
# expect: Hardware watchpoint 2: total
# expect: Old value = 0
# expect: in main|main \(
watch total
continue
backtrace
