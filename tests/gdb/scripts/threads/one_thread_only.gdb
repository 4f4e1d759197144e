# expect: reakpoint 1, count \(id=\d\)
# expect: own 1
# expect: own 1
tbreak count
continue
python which = gdb.selected_thread().num
python gdb.execute(f"break 16 thread {which}")
continue
python print("own", int(gdb.selected_thread().num == which))
continue
python print("own", int(gdb.selected_thread().num == which))
