# expect: same 1
break square if n == 3
continue
python where = gdb.execute("when", to_string=True).split()[0]
delete
continue
python gdb.execute("seek " + where)
python first = gdb.execute("info registers", to_string=True)
restart
python gdb.execute("seek " + where)
python print("same", int(first == gdb.execute("info registers", to_string=True)))
