# expect: Breakpoint 1, main
# expect: Breakpoint 2, square \(n=1\)
# expect: #0 +square .*\n#1 .* in add \(n=1\)(.*\n)*#2 .* in main
# expect: \$1 = 0
break main
continue
break square
continue
backtrace
up
print total
