# expect: last 1
# expect: New value
# expect: shared = shared \+ n
continue
python print("last", int(int(gdb.parse_and_eval("shared")) > 0))
last-write shared
frame
