# expect: own True
# expect: after looking at all True
break count
continue
python
def own():
    return gdb.execute("when", to_string=True).startswith(f"{max(gdb.selected_thread().ptid[1:]) - 1}:")
print("own", own())
results = []
for thread in gdb.selected_inferior().threads():
    thread.switch()
    gdb.execute("info threads", to_string=True)
    results.append(own())
print("after looking at all", all(results) and len(results) > 1)
end
