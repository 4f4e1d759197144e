# options: --rank=2
# expect: \$1 = 2
# expect: \$2 = 3
# expect: \$3 = 20
tbreak 22
continue
print rank
print size
next
next
print value
