# options: --rank=0
# expect: main \(
# expect: values 6 sum 96
break add_value
python
values = []
for _ in range(6):
    gdb.execute("continue")
    values.append(int(gdb.parse_and_eval("value")))
print("values", len(values), "sum", sum(values))
end
