; RUN: %opt < %s | %check
; RUN: %opt -ana-hoist=0 < %s | %check --check-prefix=OFF
; Checks of invariant addresses stand before the loop; the loop's own cold calls keep them valid.
target triple = "x86_64-pc-linux-gnu"
declare void @call()

; The chain of pointers is checked in the loop, the sum before it.
; CHECK-LABEL: define void @sum(
; CHECK:       entry:
; CHECK:         add i64 %{{.*}}, 2097156
; CHECK:       loop:
; CHECK-NOT:     2097156
; CHECK:         store i64 %t, ptr %total
; CHECK:       done:
; CHECK-DAG:     call __ana_poll@PLT # 1\0A
; CHECK-DAG:     call __ana_check@PLT # 2\0A
; CHECK-DAG:     call __ana_check@PLT # 1\0A
; OFF-LABEL: define void @sum(
; OFF:       loop:
; OFF:         2097156
; OFF:         store i64 %t, ptr %total
define void @sum(ptr %head, ptr %total) {
entry:
  br label %loop
loop:
  %node = phi ptr [ %head, %entry ], [ %next, %loop ]
  %value = getelementptr i8, ptr %node, i64 8
  %v = load i64, ptr %value
  %s = load i64, ptr %total
  %t = add i64 %s, %v
  store i64 %t, ptr %total
  %next = load ptr, ptr %node
  %end = icmp eq ptr %next, null
  br i1 %end, label %done, label %loop
done:
  ret void
}

; Not with a call in the loop.
; CHECK-LABEL: define void @with_call(
; CHECK:       loop:
; CHECK:         2097156
define void @with_call(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  store i32 %i, ptr %p
  call void @call()
  %j = add nuw i32 %i, 1
  %end = icmp eq i32 %j, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}

; Not what only some iterations do: others might wait for it in vain.
; CHECK-LABEL: define void @sometimes(
; CHECK:       write:
; CHECK:         2097156
define void @sometimes(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %latch ]
  %odd = and i32 %i, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %write, label %latch
write:
  store i32 %i, ptr %p
  br label %latch
latch:
  %j = add nuw i32 %i, 1
  %end = icmp eq i32 %j, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}
