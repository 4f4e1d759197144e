# expect: Breakpoint 1, square \(n=3\)
# expect: \$2 = 14
# expect: total \+= part
# expect: \$3 = 5
# expect: square \(n=3\)
# expect: return result|}
break square if n == 3
continue
finish
next
next
print total
delete
reverse-next
print total
reverse-step
reverse-step
