# expect: refused 3
python
refused = 0
for words in ("print total = 3", "print square(3)", "jump main"):
    try:
        gdb.execute(words)
    except gdb.error:
        refused += 1
print("refused", refused)
end
