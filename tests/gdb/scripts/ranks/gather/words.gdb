# options: --rank=0
# expect: 0:0 \(rank 0, 0 calls of MPI begun\)
# expect: in main
# expect: 0:3 \(rank 0, 3 calls
# expect: Checkpoint 1 at 0:3
# expect: 1: 0:3
# expect: 0:5 \(rank 0, 5 calls
# expect: 0:3 \(rank 0, 3 calls
# expect: No checkpoints
# expect: 0:1 \(rank 0, 1 calls
# expect: -location total
# expect: this is where you were
# expect: 0:1 \(rank 0, 1 calls
# expect: in _start
# never: not found again
when
seek 0:3
when
checkpoint
info checkpoints
seek 0:5
when
restart 1
when
delete checkpoint 1
info checkpoints
seek 0:1
when
python
try:
    gdb.execute("last-write total")
except gdb.error as problem:
    print(problem)
end
when
restart
