# expect: Checkpoint 1 at
# expect: same 1
break 17 if unlocked == 10
continue
checkpoint
python here = [gdb.execute(c, to_string=True) for c in ("when", "print counter", "print mine")]
delete
continue
restart 1
python there = [gdb.execute(c, to_string=True) for c in ("when", "print counter", "print mine")]
python print("same", int([h.split("=")[-1] for h in here] == [t.split("=")[-1] for t in there]))
