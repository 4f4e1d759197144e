# expect: Checkpoint 1 at 0:
# expect: \$1 = 1
# expect: \$2 = 30
# expect: \$3 = 1
# expect: 1: 0:
# expect: No checkpoints
break square
continue
continue
checkpoint
print total
continue
continue
continue
print total
restart 1
print total
info checkpoints
delete checkpoint 1
info checkpoints
