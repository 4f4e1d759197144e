# options: --rank=1
# expect: has made threads
# expect: has made threads
# expect: hit Breakpoint 2, work
# expect: \$1 = 7
# expect: no checkpoint can be made here
# expect: finish \(result=10\)
# expect: in _start
# expect: hit Breakpoint 2, work
break work
continue
next
print done
reverse-next
reverse-continue
checkpoint
break finish
continue
restart
continue
