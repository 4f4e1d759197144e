# expect: Checkpoint 1 at 0:
# expect: Checkpoint 2 at 0:
# expect: \$1 = 1
# expect: \$2 = 14
# expect: \$3 = 1
# expect: Breakpoint 1, square \(n=3\)
# expect: There is no checkpoint 7
break square
continue
continue
checkpoint
continue
continue
checkpoint
continue
restart 1
print total
restart 2
print total
restart 1
print total
continue
python
try:
    gdb.execute("restart 7")
except gdb.error as problem:
    print(problem)
end
