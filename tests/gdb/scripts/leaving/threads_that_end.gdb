# expect: ends 1
# expect: ends 1
# expect: ends 1
# expect: \$1 = 15
break 13
python
for _ in range(3):
    gdb.execute("continue")
    print("ends", int(gdb.selected_frame().name() == "work"))
end
print rounds[0] + rounds[1] + rounds[2]
