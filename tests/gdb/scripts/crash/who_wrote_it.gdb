# expect: New value = \(Node \*\) 0x0
# expect: spoil \(\)
# expect: the same crash 1
print second.next
last-write second.next
backtrace
continue
python print("the same crash", int("0x10" in gdb.execute("print node", to_string=True)))
