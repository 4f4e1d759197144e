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
; CHECK:         __ana_check(i32 1,
; CHECK-NOT:     __ana_check
; PLAIN-LABEL: define void @increment(
; PLAIN-COUNT-2: call preserve_allcc void @__ana_check(i32 1,
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
; CHECK:         __ana_check(i32 2,
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
; CHECK:         [[Q:%.*]] = ptrtoint ptr %q to i64
; CHECK-NEXT:    store i64 [[Q]], ptr addrspace(256) inttoptr (i64 128 to
; CHECK:         [[P:%.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT:    store i64 [[P]], ptr addrspace(256) inttoptr (i64 144 to
; CHECK:         __ana_check(i32 2,
; CHECK:         __ana_check(i32 1,
define i64 @held(ptr %p) {
  %q = load ptr, ptr %p
  %a = load i64, ptr %q
  %b = load i64, ptr %p
  %c = add i64 %a, %b
  ret i64 %c
}

; Not used again: not held.
; CHECK-LABEL: define i64 @released(
; CHECK-COUNT-2: call preserve_allcc void @__ana_check(i32 1,
; CHECK-NOT:     __ana_check
define i64 @released(ptr %p) {
  %q = load ptr, ptr %p
  %a = load i64, ptr %q
  ret i64 %a
}

; A call ends the segment.
; CHECK-LABEL: define i32 @across_call(
; CHECK-COUNT-2: call preserve_allcc void @__ana_check(i32 1,
define i32 @across_call(ptr %p) {
  %a = load i32, ptr %p
  call void @call()
  %b = load i32, ptr %p
  %c = add i32 %a, %b
  ret i32 %c
}

; A block with one predecessor goes on with its segment; the write is a check of its own.
; CHECK-LABEL: define i32 @branch(
; CHECK:         __ana_check(i32 1,
; CHECK:         __ana_check(i32 1,
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
; CHECK:         __ana_check(i32 2,
define i32 @far(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 300
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  %c = add i32 %a, %b
  ret i32 %c
}
