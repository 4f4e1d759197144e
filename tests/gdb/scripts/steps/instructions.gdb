# expect: depth 0
# expect: depth 1
# expect: same 1
# expect: same 1
tbreak -qualified add
continue
python depth = lambda: sum(1 for _ in iter(lambda s=[gdb.newest_frame()]: s.__setitem__(0, s[0].older()) or s[0], None))
python base = depth()
nexti
python print("depth", depth() - base)
advance square
python print("depth", depth() - base)
set $here = $pc
nexti
reverse-nexti
printf "same %d\n", $pc == $here
stepi 5
reverse-stepi 5
printf "same %d\n", $pc == $here
