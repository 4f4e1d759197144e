# options: -g 0:0
# expect: slot 0, event \d+, waits for slot 1 at [a-z_]+(\.h|\.cc)?:\d+\)
# never: waits for slot \d+ at [^)]*/
break set_flag
continue
info threads
