# options: -g 0:0
# expect: Breakpoint 1.*, count \(id=
# expect: slot 0, event
# expect: waits
# expect: \$1 = 60
break count
continue
info threads
delete
continue
print counter
