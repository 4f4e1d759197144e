# expect: ^#0 +(0x[0-9a-f]+ in )?\S*(kill|raise)
# expect: in examine
# expect: \* 2 .*(kill|raise)
# never: ana_raw_instruction.*\n#1
backtrace
info threads
