# expect: slot 0, .*wants slot 1 to end
# expect: slot 1, .*wants mutex 0x[0-9a-f]+ <right>, which slot 2 has taken
# expect: slot 2, .*wants mutex 0x[0-9a-f]+ <left>, which slot 1 has taken
# expect: deadlock: slot 1 waits for slot 2 waits for slot 1
continue
waits
