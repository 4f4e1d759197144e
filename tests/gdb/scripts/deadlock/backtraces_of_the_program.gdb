# expect: #\d+ .* in pthread_mutex_lock
# expect: take
# expect: host 0
# expect: host 1
continue
python
texts = [gdb.execute("thread apply all backtrace" + o, to_string=True) for o in ("", " -no-filters")]
print(texts[0])
for text in texts:
    print("host", int("anaphora_host" in text))
end
