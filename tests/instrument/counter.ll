; RUN: %opt < %s | %check
; RUN: %opt -ana-count-in-registers=0 < %s | %check --check-prefix=OFF
; Quiet loops count their polls in a register: the control block is brought up to date before cold calls and at the exits.
target triple = "x86_64-pc-linux-gnu"
declare void @outside()

; CHECK-LABEL: define i64 @walk(
; CHECK:         [[BEFORE:%.*]] = load i64, ptr addrspace(256) inttoptr (i64 16 to
; CHECK:       loop:
; CHECK-NOT:     inttoptr (i64 16 to
; CHECK:         [[NOW:%.*]] = add i64 %ana.count.{{.*}}, 1
; CHECK-NOT:     inttoptr (i64 16 to
; CHECK:         [[LIMIT:%.*]] = load volatile i64, ptr addrspace(256) inttoptr (i64 64 to
; CHECK:         icmp uge i64 [[NOW]], [[LIMIT]]
; CHECK:       {{^}}done:
; CHECK:         sub i64
; CHECK:         load i64, ptr addrspace(256) inttoptr (i64 16 to
; CHECK:         store i64 %{{.*}}, ptr addrspace(256) inttoptr (i64 16 to
; CHECK:       ana.cold{{.*}}:
; CHECK:         store i64 %{{.*}}, ptr addrspace(256) inttoptr (i64 16 to
; CHECK:         __ana_{{check|poll}}@PLT
; CHECK-NEXT:    load i64, ptr addrspace(256) inttoptr (i64 16 to
; OFF-LABEL: define i64 @walk(
; OFF:       loop:
; OFF:         inttoptr (i64 16 to
define i64 @walk(ptr %list) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %list, %entry ], [ %next, %loop ]
  %n = phi i64 [ 0, %entry ], [ %m, %loop ]
  %next = load ptr, ptr %p, align 8
  %m = add i64 %n, 1
  %end = icmp eq ptr %next, null
  br i1 %end, label %done, label %loop
done:
  ret i64 %m
}

; What is called in the loop may look at the count.
; CHECK-LABEL: define void @calls(
; CHECK:       loop:
; CHECK:         call void @outside()
; CHECK:         load i64, ptr addrspace(256) inttoptr (i64 16 to
; CHECK:         store i64
define void @calls(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  call void @outside()
  %j = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %j, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}
