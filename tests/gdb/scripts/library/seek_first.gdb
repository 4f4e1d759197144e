# The jump itself is what tells gdb that there are libraries.
# expect: in measure \(width=\d+, height=10\)
# expect: in main \(\)
# expect: Yes .*libshapes
# never: ^#\d.*\?\? \(\)
tbreak main
continue
tbreak measure
continue
python event = gdb.execute("when", to_string=True).split()[0]
restart
nosharedlibrary
python gdb.execute("seek " + event)
backtrace
info sharedlibrary
