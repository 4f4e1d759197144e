# expect: Catchpoint 1 \(exception thrown\)
# expect: check \(n=1\)
# expect: Catchpoint 1 \(exception thrown\)
# expect: check \(n=3\)
# expect: Catchpoint 1 \(exception thrown\)
# expect: check \(n=1\)
catch throw
continue
backtrace
continue
backtrace
reverse-continue
backtrace
