# expect: New value
# expect: push \(value=
# expect: in build
continue
last-write head
backtrace
