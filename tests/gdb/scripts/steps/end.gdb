# expect: the recording ends here, with exit status 0
# expect: No more reverse-execution history
# expect: \$1 = 55
continue
print total
