; RUN: %opt < %s | %check
; A site behind a recursive call runs once per return of it: there must be a poll on the way out.
target triple = "x86_64-pc-linux-gnu"
declare void @external()
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define void @behind(
; CHECK:         call void @behind
; CHECK:         store i32 1, ptr %p
; CHECK:         inttoptr (i64 16 to
; CHECK:         ret void
define void @behind(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  call void @behind(ptr %q)
  store i32 1, ptr %p
  ret void
}

; The poll at the entry is enough for sites before the call.
; CHECK-LABEL: define void @before(
; CHECK:         store i32 1, ptr %p
; CHECK-NOT:     inttoptr (i64 16 to
; CHECK:         ret void
define void @before(ptr %p) {
  store i32 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  call void @before(ptr %q)
  ret void
}

; A tail call stays one: the poll comes before it.
; CHECK-LABEL: define void @tail(
; CHECK:         call void @external()
; CHECK:         store i32 1, ptr %p
; CHECK:         inttoptr (i64 16 to
; CHECK:         tail call void @tail(ptr %p)
; CHECK-NEXT:    ret void
define void @tail(ptr %p) {
  call void @external()
  store i32 1, ptr %p
  tail call void @tail(ptr %p)
  ret void
}

; Unknown code cannot call this one, and it calls nothing that calls it.
; CHECK-LABEL: define internal void @leaf(
; CHECK:         call void @external()
; CHECK:         store i32 1, ptr %p
; CHECK-NOT:     inttoptr (i64 16 to
; CHECK:         ret void
define internal void @leaf(ptr %p) {
  call void @external()
  store i32 1, ptr %p
  ret void
}
define internal void @caller(ptr %p) {
  call void @leaf(ptr %p)
  ret void
}

; CHECK-LABEL: define void @unwinds(
; CHECK:         landingpad
; CHECK-NEXT:      cleanup
; CHECK-NEXT:    load i64, ptr addrspace(256) inttoptr (i64 16 to
define void @unwinds(ptr %p) personality ptr @__gxx_personality_v0 {
  invoke void @external() to label %fine unwind label %pad
fine:
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  store i32 1, ptr %p
  resume { ptr, i32 } %e
}
