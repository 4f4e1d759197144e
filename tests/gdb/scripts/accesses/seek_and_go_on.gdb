# expect: [1-9]\d* data races? of shared
# expect: there 1
# expect: Hardware watchpoint
# expect: traps 0
# expect: shared written
python text = gdb.execute("races here shared", to_string=True)
python print(text)
python where = text.split("seek ")[1].split()[0]
python gdb.execute("seek " + where)
python print("there", int(gdb.execute("when", to_string=True).split()[0] == where))
stepi 40
watch shared
python
traps = 0
def note(event):
    global traps
    traps += isinstance(event, gdb.SignalEvent)
gdb.events.stop.connect(note)
for _ in range(3):
    gdb.execute("continue")
print("traps", traps)
end
delete
continue
