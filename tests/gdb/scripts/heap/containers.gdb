# expect: \$1 = 10
# expect: \$2 = 0
# expect: \$3 = 10
break use_again
continue
print names._M_impl._M_finish - names._M_impl._M_start
tbreak std::thread::join
reverse-continue
print names._M_impl._M_finish - names._M_impl._M_start
continue
print names._M_impl._M_finish - names._M_impl._M_start
