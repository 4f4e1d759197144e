# expect: ids \[0, 1, 2\]
# expect: No more reverse-execution history
continue
break count
python
ids = []
for _ in range(3):
    gdb.execute("reverse-continue")
    ids.append(max(gdb.selected_thread().ptid[1:]) - 2)
print("ids", sorted(ids))
end
reverse-continue
