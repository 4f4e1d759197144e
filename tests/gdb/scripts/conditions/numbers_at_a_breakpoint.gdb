# options: -g 0:0
# expect: Thread 6 .*hit .*wait_for_token
# expect: ^\* 6 +Thread 6 \(slot 5,
break wait_for_token
continue
info threads
