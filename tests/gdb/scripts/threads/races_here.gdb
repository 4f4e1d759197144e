# expect: looking for the data races
# expect: [1-9]\d* data races? of unlocked:
# expect: unlocked, 8 bytes
# expect: threads.cc:18 \(count
# expect: 0 data races of counter
# expect: [1-9]\d* data races? at
# expect: there 1
continue
races here unlocked
races here counter
python text = gdb.execute("races here unlocked", to_string=True)
python where = text.split("seek ")[1].split()[0]
python gdb.execute("seek " + where)
races here
python print("there", int("threads.cc" in gdb.execute("frame", to_string=True)))
