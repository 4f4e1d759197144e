# expect: same 1
# expect: back 1
break count
continue
delete
watch unlocked
continue
continue
python here = [gdb.execute(c, to_string=True) for c in ("when", "info registers", "x/16gx &mine")]
delete
reverse-stepi
stepi
python there = [gdb.execute(c, to_string=True) for c in ("when", "info registers", "x/16gx &mine")]
python print("same", int(here == there))
python gdb.execute("tbreak main")
restart
continue
python print("back", int(gdb.selected_frame().name() == "main"))
