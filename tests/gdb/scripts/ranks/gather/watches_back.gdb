# options: --rank=0
# expect: totals 6 the same
# expect: total has not been written before|No more reverse-execution history
# never: not found again
tbreak 30
continue
watch total
python
totals = [int(gdb.parse_and_eval("total"))]
while totals[-1] != 0 and len(totals) < 10:
    gdb.execute("reverse-continue")
    totals.append(int(gdb.parse_and_eval("total")))
print("totals", len(totals) - 1, "the same" if totals[0] == 96 and sorted(totals) == totals[::-1] else totals)
end
reverse-continue
