# options: --rank=0
# expect: \$1 = 1$
# expect: \$2 = 1$
# expect: \$3 = 11$
# expect: \$4 = 5$
# never: (?s)rank 0 round 1 .*rank 0 round 1 
# never: not found again|too long
break tell if round == 3
continue
print digit
condition 2 round == 1
reverse-continue
print digit
print number
condition 2 round == 4
continue
print digit
