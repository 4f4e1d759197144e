; RUN: %opt < %s | %check
; Atomic and volatile accesses: a check of their own, right before, whatever was checked already.
target triple = "x86_64-pc-linux-gnu"

; Sites say what an access is: 0x100000 releases, 0x80000 acquires, 0x40000 atomic, 0x20000 writes, 0x10000 reads; above
; that: one range, which stands behind the call.
; CHECK-DAG: @ana.site{{.*}} = private constant { i32, i32, i32, i32 } { {{.*}}, i32 0, i32 543096832 }, section "ana_sites"
; CHECK-DAG: @ana.site{{.*}} = private constant { i32, i32, i32, i32 } { {{.*}}, i32 0, i32 541917184 }, section "ana_sites"
; CHECK-DAG: @ana.site{{.*}} = private constant { i32, i32, i32, i32 } { {{.*}}, i32 0, i32 542507008 }, section "ana_sites"
; CHECK-DAG: @ana.fence = internal global [64 x i8] zeroinitializer, align 64

; CHECK-LABEL: define i32 @all(
; CHECK:         add i64 %{{.*}}, 2097156
; CHECK:         atomicrmw add ptr %p
; CHECK:         add i64 %{{.*}}, 2097156
; CHECK:         cmpxchg ptr %p
; CHECK:         add i64 %{{.*}}, 2097152
; CHECK:         load atomic i32, ptr %p acquire
; CHECK:         add i64 %{{.*}}, 2097156
; CHECK:         store atomic i32 1, ptr %p release
; CHECK:         add i64 %{{.*}}, 2097152
; CHECK:         load volatile i32, ptr %p
; CHECK-COUNT-5: call __ana_check@PLT # 1\0A
; CHECK-NOT:     __ana_check
define i32 @all(ptr %p) {
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  %b = cmpxchg ptr %p, i32 0, i32 1 seq_cst seq_cst
  %c = load atomic i32, ptr %p acquire, align 4
  store atomic i32 1, ptr %p release, align 4
  %d = load volatile i32, ptr %p
  ret i32 %d
}

; Nothing is merged across a fence, which has a check of a word that nobody writes, for those who look at replays.
; CHECK-LABEL: define i32 @fenced(
; CHECK-COUNT-3: call __ana_check@PLT # 1\0A
define i32 @fenced(ptr %p) {
  %a = load i32, ptr %p
  fence seq_cst
  %b = load i32, ptr %p
  %c = add i32 %a, %b
  ret i32 %c
}

; A spinning loop is checked and polled in every iteration.
; CHECK-LABEL: define void @spin(
; CHECK:       wait:
; CHECK:         load i32, ptr addrspace(256)
; CHECK:         load atomic i32, ptr %p
; CHECK:         inttoptr (i64 16 to
; CHECK:         br i1 %again, label %wait, label %done
define void @spin(ptr %p) {
  br label %wait
wait:
  %v = load atomic i32, ptr %p monotonic, align 4
  %again = icmp eq i32 %v, 0
  br i1 %again, label %wait, label %done
done:
  ret void
}
; 16 bytes
; CHECK-LABEL: define i128 @big(
; CHECK:         __ana_check@PLT # 1\0A\09nopl ${0:c}(%rip)\0A\09nopl $1\0A\09testb $$15, %al"
define i128 @big(ptr %p) {
  %v = load atomic i128, ptr %p seq_cst, align 16
  ret i128 %v
}
