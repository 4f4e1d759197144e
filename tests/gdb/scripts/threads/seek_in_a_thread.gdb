# expect: there 1
# expect: same 1
break 17
continue
python where = gdb.execute("when", to_string=True).split()[0]
delete
restart
python gdb.execute("seek " + where)
python first = gdb.execute("when", to_string=True)
python print("there", int(first.split()[0] == where))
continue
python gdb.execute("seek " + where)
python print("same", int(gdb.execute("when", to_string=True) == first))
