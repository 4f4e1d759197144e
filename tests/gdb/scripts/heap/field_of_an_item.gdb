# expect: \$1 = 22
# expect: Old value = 22
# expect: use_again \(\)
# expect: Old value = 11
# expect: use_again \(\)
continue
print new_use->value
last-write new_use->value
frame
last-write old_use->value
frame
