# options: -g 0:0
# expect: slot 0, .*wants slot 1 to end
# expect: slot 1, .*wants condition variable 0x[0-9a-f]+ <news>, which nobody has: somebody has to signal it
# expect: slot 2, .*wants mutex 0x[0-9a-f]+ <held>, which slot 0 has taken
# expect: slot 3, .*wants read-write lock 0x[0-9a-f]+ <shelf>, which slot 0 has taken
# expect: slot 4, .*wants barrier 0x[0-9a-f]+ <gate>, which nobody has: others have to come there
# expect: slot 5, .*wants semaphore 0x[0-9a-f]+ <tokens>, which nobody is known to have taken: somebody has to post it
# never: deadlock
continue
waits
