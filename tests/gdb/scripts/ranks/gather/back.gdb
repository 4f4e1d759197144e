# options: --rank=0
# expect: values 6 back 5 the same
# expect: No more reverse-execution history
# expect: forth again the same
# never: not found again
break add_value
python
values, back, again = [], [], []
for _ in range(6):
    gdb.execute("continue")
    values.append(int(gdb.parse_and_eval("value")))
for _ in range(5):
    gdb.execute("reverse-continue")
    back.append(int(gdb.parse_and_eval("value")))
print("values", len(values), "back", len(back), "the same" if back == values[-2::-1] else f"not the same {values} {back}")
gdb.execute("reverse-continue")
for _ in range(6):
    gdb.execute("continue")
    again.append(int(gdb.parse_and_eval("value")))
print("forth again", "the same" if again == values else f"not the same {values} {again}")
end
