# expect: in count
# expect: called 1
break 15
continue
delete
python inner = gdb.selected_frame().older().name()
python print("in", gdb.selected_frame().name())
reverse-finish
python print("called", int(gdb.selected_frame().name() == inner))
