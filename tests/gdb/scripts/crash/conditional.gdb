# options: -g 0:0
# expect: sum \(node=
# expect: \$1 = 2
# expect: \$2 = 1
break 20 if node->value == 2
continue
print node->value
print all
