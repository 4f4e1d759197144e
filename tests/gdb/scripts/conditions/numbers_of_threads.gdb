# options: -g 0:0
# expect: ^numbers: \[\(1, 1\), \(2, 2\), \(3, 3\), \(4, 4\), \(5, 5\), \(6, 6\)\]
# expect: ^stopped: 6
seek 5:2
python
print("numbers:", sorted((thread.num, max(thread.ptid[1:])) for thread in gdb.selected_inferior().threads()))
print("stopped:", gdb.selected_thread().num)
end
