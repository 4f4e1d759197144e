; RUN: %opt < %s | %check
; RUN: %opt -ana-ranges=0 < %s | %check --check-prefix=OFF
; Strided loops are checked by strips of at most 4 KiB.
target triple = "x86_64-pc-linux-gnu"

; 512 doubles per strip. The loop itself has neither checks nor polls.
; CHECK-LABEL: define void @scale(
; CHECK:       ana.strip:
; CHECK:         %ana.done = phi i64
; CHECK:         [[LEFT:%.*]] = sub i64 %{{.*}}, %ana.done
; CHECK:         icmp ult i64 [[LEFT]], 511
; CHECK:         %ana.last = add i64 %ana.done,
; CHECK:         [[SCAN:%.*]] = call { i32, i64, i64 } asm sideeffect "call __ana_scan_write@PLT", "={@ccb},={ax},={dx},1,2,
; CHECK:         [[MISSING:%.*]] = extractvalue { i32, i64, i64 } [[SCAN]], 0
; CHECK:         icmp ne i32 [[MISSING]], 0
; CHECK:       loop:
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:         store double
; CHECK:         icmp eq i64 %ana.countdown, 0
; CHECK:         br i1 %{{.*}}, label %ana.test, label %loop
; CHECK-NOT:     icmp eq i64 %j, %n
; CHECK:       ana.test:
; CHECK:         [[END:%.*]] = icmp eq i64 %ana.last, %{{.*}}
; CHECK:         br i1 [[END]], label %done, label %ana.more
; CHECK:       ana.more:
; CHECK:         load volatile i64, ptr addrspace(256) inttoptr (i64 64 to
; CHECK:       {{^}}done:
; CHECK:         call __ana_check@PLT # 1\0A
; OFF-LABEL: define void @scale(
; OFF-NOT:     ana.strip
; OFF:       loop:
; OFF:         load i32, ptr addrspace(256)
define void @scale(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %v = load double, ptr %p, align 8
  %w = fmul double %v, 2.0
  store double %w, ptr %p, align 8
  %j = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %j, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}

; Backwards: the last address is the first of the range.
; CHECK-LABEL: define void @backwards(
; CHECK:       ana.strip:
; CHECK-DAG:     [[FIRST:%.*]] = mul i64 %ana.last, -8
; CHECK-DAG:     [[LAST:%.*]] = mul i64 %ana.done, -8
; CHECK:         add i64 %{{.*}}, [[FIRST]]
; CHECK:         add i64 [[LAST]], 7
; CHECK:         __ana_scan_write
; CHECK:       loop:
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:         store i64
define void @backwards(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %j, %loop ]
  %j = add nsw i64 %i, -1
  %p = getelementptr inbounds i64, ptr %a, i64 %j
  store i64 0, ptr %p, align 8
  %end = icmp eq i64 %j, 0
  br i1 %end, label %done, label %loop
done:
  ret void
}

; Something else is checked inside: that check and the loop's poll keep the strip's range.
; CHECK-LABEL: define i64 @indexed(
; CHECK:       ana.strip:
; CHECK:       loop:
; CHECK:         load i64, ptr %q
; CHECK:         load volatile i64, ptr addrspace(256) inttoptr (i64 64 to
; CHECK:       ana.more:
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:         br label %ana.strip
; CHECK-DAG:     call __ana_check@PLT # 2\0A
; CHECK-DAG:     call __ana_poll@PLT # 1\0A
define i64 @indexed(ptr %a, ptr %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %p = getelementptr inbounds i64, ptr %a, i64 %i
  %x = load i64, ptr %p, align 8
  %q = getelementptr inbounds i64, ptr %b, i64 %x
  %v = load i64, ptr %q, align 8
  %t = add i64 %s, %v
  %j = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %j, %n
  br i1 %end, label %done, label %loop
done:
  ret i64 %t
}

; Every 512th byte: a range would take lines that nobody uses.
; CHECK-LABEL: define void @sparse(
; CHECK-NOT:   ana.strip:
; CHECK:       loop:
; CHECK:         load i32, ptr addrspace(256)
; CHECK:         store i64
; CHECK:         ret void
define void @sparse(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr inbounds [64 x i64], ptr %a, i64 %i
  store i64 0, ptr %p, align 8
  %j = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %j, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}

; The whole range is short: no strips, and no poll in the loop.
; CHECK-LABEL: define void @short(
; CHECK:       entry:
; CHECK:         __ana_scan_{{read|write}}
; CHECK:       loop:
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:         store i64
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:         ret void
define void @short(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 0, ptr %p, align 8
  %j = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %j, 100
  br i1 %end, label %done, label %loop
done:
  ret void
}

; Rows of a small matrix, all of them: one range before both loops, and no poll in them.
; CHECK-LABEL: define void @rows(
; CHECK:       entry:
; CHECK:         __ana_scan_{{read|write}}
; CHECK:       row:
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:       column:
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:         ret void
define void @rows(ptr %a) {
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  br label %column
column:
  %j = phi i64 [ 0, %row ], [ %j1, %column ]
  %p = getelementptr inbounds [16 x double], ptr %a, i64 %i, i64 %j
  store double 0.0, ptr %p, align 8
  %j1 = add nuw nsw i64 %j, 1
  %last = icmp eq i64 %j1, 16
  br i1 %last, label %next, label %column
next:
  %i1 = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %i1, 16
  br i1 %end, label %done, label %row
done:
  ret void
}

; The same of a matrix whose rows are far apart: each row has its range.
; CHECK-LABEL: define void @wide_rows(
; CHECK:       row:
; CHECK:         __ana_scan_{{read|write}}
; CHECK:       column:
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:         store double
; CHECK:         ret void
define void @wide_rows(ptr %a) {
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  br label %column
column:
  %j = phi i64 [ 0, %row ], [ %j1, %column ]
  %p = getelementptr inbounds [256 x double], ptr %a, i64 %i, i64 %j
  store double 0.0, ptr %p, align 8
  %j1 = add nuw nsw i64 %j, 1
  %last = icmp eq i64 %j1, 16
  br i1 %last, label %next, label %column
next:
  %i1 = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %i1, 16
  br i1 %end, label %done, label %row
done:
  ret void
}

; Either of two ways, both to the same place: the range is needed whichever is taken. A store on one way only is not.
; CHECK-LABEL: define void @either(
; CHECK:       ana.strip:
; CHECK:       loop:
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:       {{^}}left:
; CHECK-NOT:     {{addrspace\(256\)|__ana_scan}}
; CHECK:       {{^}}right:
; CHECK:         load i32, ptr addrspace(256)
; CHECK:         store double 3
define void @either(ptr %a, ptr %b, i64 %n, i1 %c) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %both ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %q = getelementptr inbounds double, ptr %b, i64 %i
  br i1 %c, label %left, label %right
left:
  store double 1.0, ptr %p, align 8
  br label %both
right:
  store double 2.0, ptr %p, align 8
  store double 3.0, ptr %q, align 8
  br label %both
both:
  %j = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %j, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}

; Small matrices of which some are skipped: a range for each that is not, none for all of them.
; CHECK-LABEL: define void @some_matrices(
; CHECK:       {{^}}matrix:
; CHECK-NOT:     {{load i32, ptr addrspace\(256\)|__ana_scan}}
; CHECK:       {{^}}rows:
; CHECK:         __ana_scan_write
; CHECK:       {{^}}row:
; CHECK-NOT:     {{load i32, ptr addrspace\(256\)|__ana_scan}}
; CHECK:         store double
; CHECK-NOT:     {{load i32, ptr addrspace\(256\)|__ana_scan}}
; CHECK:         ret void
define void @some_matrices(ptr %a, i64 %n) {
entry:
  br label %matrix
matrix:
  %m = phi i64 [ 0, %entry ], [ %m1, %next_matrix ]
  %bit = and i64 %m, 1
  %want = icmp eq i64 %bit, 0
  br i1 %want, label %rows, label %next_matrix
rows:
  br label %row
row:
  %i = phi i64 [ 0, %rows ], [ %i1, %next ]
  br label %column
column:
  %j = phi i64 [ 0, %row ], [ %j1, %column ]
  %p = getelementptr inbounds [8 x [16 x double]], ptr %a, i64 %m, i64 %i, i64 %j
  store double 0.0, ptr %p, align 8
  %j1 = add nuw nsw i64 %j, 1
  %last = icmp eq i64 %j1, 16
  br i1 %last, label %next, label %column
next:
  %i1 = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %i1, 8
  br i1 %end, label %next_matrix, label %row
next_matrix:
  %m1 = add nuw nsw i64 %m, 1
  %stop = icmp eq i64 %m1, %n
  br i1 %stop, label %done, label %matrix
done:
  ret void
}

; One way reads %q once, the other in a loop of its own: a range of the loop around both.
; CHECK-LABEL: define double @once_or_often(
; CHECK:       ana.strip:
; CHECK:       {{^}}loop:
; CHECK-NOT:     {{load i32, ptr addrspace\(256\)|__ana_scan}}
; CHECK:       {{^}}once:
; CHECK-NOT:     {{load i32, ptr addrspace\(256\)|__ana_scan}}
; CHECK:         ret double
define double @once_or_often(ptr %a, i64 %n, i1 %c) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %both ]
  %sum = phi double [ 0.0, %entry ], [ %sum1, %both ]
  %q = getelementptr inbounds double, ptr %a, i64 %i
  br i1 %c, label %once, label %often
once:
  %x = load double, ptr %q, align 8
  br label %both
often:
  %k = phi i64 [ 0, %loop ], [ %k1, %often ]
  %y = load double, ptr %q, align 8
  %k1 = add nuw nsw i64 %k, 1
  %last = icmp eq i64 %k1, 10
  br i1 %last, label %both, label %often
both:
  %z = phi double [ %x, %once ], [ %y, %often ]
  %sum1 = fadd double %sum, %z
  %i1 = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %i1, %n
  br i1 %end, label %done, label %loop
done:
  ret double %sum1
}
