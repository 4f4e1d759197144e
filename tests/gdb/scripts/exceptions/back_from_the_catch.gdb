# expect: \$1 = 0
# expect: :16
# expect: catch \(const std::runtime_error
# expect: Catchpoint 2 \(exception thrown\)
# expect: check \(n=1\)
break 16
continue
print caught
frame
reverse-next
catch throw
reverse-continue
backtrace
