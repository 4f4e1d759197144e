; RUN: %opt < %s 2>%t.warnings | %check
; RUN: FileCheck --check-prefix=WARNING %s < %t.warnings
; Inline assembly: its memory operands are accesses; with a memory clobber, what its pointers point to as well.
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define void @operand(
; CHECK:         add i64 %{{.*}}, 2097156
; CHECK:         call void asm sideeffect "lock; incl $0"
; CHECK:         call __ana_check@PLT # 1\0A
define void @operand(ptr %p) {
  call void asm sideeffect "lock; incl $0", "=*m,*m,~{memory}"(ptr elementtype(i32) %p, ptr elementtype(i32) %p)
  ret void
}

; CHECK-LABEL: define i32 @read(
; CHECK:         add i64 %{{.*}}, 2097152
; CHECK:         call i32 asm "movl $1, $0"
; CHECK:         call __ana_check@PLT # 1\0A
define i32 @read(ptr %p) {
  %r = call i32 asm "movl $1, $0", "=r,*m"(ptr elementtype(i32) %p) memory(argmem: read)
  ret i32 %r
}

; CHECK-LABEL: define i32 @pointer(
; CHECK:         add i64 %{{.*}}, 2097156
; CHECK:         call i32 asm sideeffect "xchgl $0, ($1)"
; CHECK:         call __ana_check@PLT # 1\0A
define i32 @pointer(ptr %p) {
  %r = call i32 asm sideeffect "xchgl $0, ($1)", "=r,r,0,~{memory}"(ptr %p, i32 1)
  ret i32 %r
}

; A barrier for the compiler only.
; CHECK-LABEL: define void @barrier(
; CHECK-NOT:     __ana_check
; CHECK:         ret void
define void @barrier(ptr %p) {
  call void asm sideeffect "", "r,~{memory}"(ptr %p)
  ret void
}

; WARNING:       a lock that waits inside inline assembly cannot be recorded
; WARNING-NOT:   cannot be recorded
; It would wait with the line in its hands.
; CHECK-LABEL: define void @waits(
; CHECK-NOT:     __ana_check
; CHECK:         ret void
define void @waits(ptr %p) {
  call void asm sideeffect "1: lock; decb $0\0Ajs 1b", "=*m,*m,~{memory}"(ptr elementtype(i8) %p, ptr elementtype(i8) %p)
  ret void
}

; Not a lock.
; CHECK-LABEL: define i64 @counts(
; CHECK-NOT:     __ana_check
; CHECK:         ret i64
define i64 @counts(ptr %p) {
  %n = call i64 asm sideeffect "1: decq $0\0Ajnz 1b", "=r,0,r,~{memory}"(i64 9, ptr %p)
  ret i64 %n
}
