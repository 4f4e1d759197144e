# expect: main \(\) at .*:20
# expect: 19\s+std::printf
# expect: \$1 = 55
# expect: main \(\) at .*:20
# expect: total 55
break 20
continue
reverse-next
print total
next
restart
delete
continue
