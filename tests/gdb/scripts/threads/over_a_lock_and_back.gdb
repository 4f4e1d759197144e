# expect: counter\+\+
# expect: \$1 = 1
# expect: \$2 = 0
# expect: std::lock_guard guard\(lock\)
break 15
continue
delete
next
set $was = counter
next
print counter - $was
reverse-next
print counter - $was
reverse-next
