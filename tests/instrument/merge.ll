; RUN: %opt < %s | %check
; RUN: %plain < %s | %check --check-prefix=PLAIN
; One check for several accesses of a segment, and what the cold calls are given.
target triple = "x86_64-pc-linux-gnu"
declare void @call()

; An increment is one write check.
; CHECK-LABEL: define void @increment(
; CHECK:         add i64 %{{.*}}, 2097156
; CHECK:         load i32, ptr %p
; CHECK-NOT:     addrspace(256)
; CHECK:         store i32
; CHECK:         __ana_check@PLT # 1\0A
; CHECK-NOT:     __ana_check
; PLAIN-LABEL: define void @increment(
; PLAIN-COUNT-2: call __ana_check@PLT # 1\0A
define void @increment(ptr %p) {
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret void
}

; Both addresses are known at the first access: one cold call for two comparisons.
; CHECK-LABEL: define i32 @bundle(
; CHECK-COUNT-2: load i32, ptr addrspace(256)
; CHECK:         load i32, ptr %p
; CHECK:         load i32, ptr %q
; CHECK:         __ana_check@PLT # 2\0A
; CHECK-NOT:     __ana_check
define i32 @bundle(ptr %p, ptr %q) {
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  %c = add i32 %a, %b
  ret i32 %c
}

; %p is used again after the check of %q, so that check's cold call gets it too; own range first.
; CHECK-LABEL: define i64 @held(
; CHECK:         ret i64
; CHECK:         __ana_check@PLT # 2\0A{{.*}} ptr elementtype(i8) %q, ptr elementtype(i8) %p)
; CHECK:         __ana_check@PLT # 1\0A
define i64 @held(ptr %p) {
  %q = load ptr, ptr %p
  %a = load i64, ptr %q
  %b = load i64, ptr %p
  %c = add i64 %a, %b
  ret i64 %c
}

; Not used again: not held.
; CHECK-LABEL: define i64 @released(
; CHECK-COUNT-2: call __ana_check@PLT # 1\0A
; CHECK-NOT:     __ana_check
define i64 @released(ptr %p) {
  %q = load ptr, ptr %p
  %a = load i64, ptr %q
  ret i64 %a
}

; A call ends the segment.
; CHECK-LABEL: define i32 @across_call(
; CHECK-COUNT-2: call __ana_check@PLT # 1\0A
define i32 @across_call(ptr %p) {
  %a = load i32, ptr %p
  call void @call()
  %b = load i32, ptr %p
  %c = add i32 %a, %b
  ret i32 %c
}

; A block with one predecessor goes on with its segment; the write is a check of its own.
; CHECK-LABEL: define i32 @branch(
; CHECK:         __ana_check@PLT # 1\0A
; CHECK:         __ana_check@PLT # 1\0A
; CHECK-NOT:     __ana_check
define i32 @branch(ptr %p, i1 %c) {
  %a = load i32, ptr %p
  br i1 %c, label %then, label %else
then:
  %b = load i32, ptr %p
  ret i32 %b
else:
  store i32 1, ptr %p
  ret i32 %a
}

; Far apart: two groups.
; CHECK-LABEL: define i32 @far(
; CHECK:         __ana_check@PLT # 2\0A
define i32 @far(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 300
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  %c = add i32 %a, %b
  ret i32 %c
}

; The fifth operand is the last: what is more, is stored before the call.
; CHECK-LABEL: define void @many(
; CHECK:         call void asm sideeffect "call __ana_check@PLT # 6\0A
; CHECK-SAME:      nopq $5\0A\09testb $$7, %al", "i,*m,*m,*m,*m,*m,~
; CHECK-NOT:     nopq $6
define void @many(ptr %a, ptr %b, ptr %c, ptr %d, ptr %e, ptr %f) {
  store i64 1, ptr %a, align 8
  store i64 1, ptr %b, align 8
  store i64 1, ptr %c, align 8
  store i64 1, ptr %d, align 8
  store i64 1, ptr %e, align 8
  store i64 1, ptr %f, align 8
  ret void
}
