# options: --rank=0
# expect: all places the same
# expect: back in main of line 26
# expect: finished to line 26
# never: not found again
# Instruction by instruction forwards, through a call of a function, and the same way back.
tbreak 26
continue
python
def place():
    return tuple(int(gdb.parse_and_eval(r)) for r in ("$pc", "$sp", "$rax", "$rdi", "total", "$eflags & 0x8d5"))
forth = []
for _ in range(40):
    forth.append(place())
    gdb.execute("stepi", to_string=True)
for n in range(40):
    gdb.execute("reverse-stepi", to_string=True)
    if place() != forth.pop():
        print("another place", n)
        break
else:
    print("all places the same")
gdb.execute("tbreak add_value")
gdb.execute("continue")
gdb.execute("reverse-step")
print("back in", gdb.newest_frame().name(), "of line", gdb.newest_frame().find_sal().line)
gdb.execute("tbreak add_value")
gdb.execute("continue")
gdb.execute("reverse-finish")
print("finished to line", gdb.newest_frame().find_sal().line)
end
