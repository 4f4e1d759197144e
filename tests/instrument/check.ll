; RUN: %plain < %s | %check
; The shape of a check and of the poll at a function's entry.
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @read(
; CHECK:         [[COUNT:%.*]] = load i64, ptr addrspace(256) inttoptr (i64 16 to ptr addrspace(256))
; CHECK-NEXT:    [[NEXT:%.*]] = add i64 [[COUNT]], 1
; CHECK-NEXT:    store i64 [[NEXT]], ptr addrspace(256) inttoptr (i64 16 to ptr addrspace(256))
; CHECK-NEXT:    [[LIMIT:%.*]] = load volatile i64, ptr addrspace(256) inttoptr (i64 64 to ptr addrspace(256))
; CHECK-NEXT:    [[DUE:%.*]] = icmp uge i64 [[NEXT]], [[LIMIT]]
; CHECK-NEXT:    br i1 [[DUE]], label %[[POLL:.*]], label %{{.*}}, !prof
; CHECK:         [[EPOCH:%.*]] = load volatile i32, ptr addrspace(256) inttoptr (i64 8 to ptr addrspace(256))
; CHECK:         [[AT:%.*]] = ptrtoint ptr %p to i64
; CHECK:         lshr i64 [[AT]], 6
; CHECK:         and i32 %{{.*}}, 2147483647
; CHECK:         shl i64 %{{.*}}, 3
; CHECK:         add i64 %{{.*}}, 2097152
; CHECK:         [[MAY:%.*]] = load i32, ptr addrspace(256)
; CHECK:         icmp ult i32 [[MAY]], [[EPOCH]]
; CHECK:         br i1 %{{.*}}, label %[[COLD:.*]], label %{{.*}}, !prof
; CHECK:         load i64, ptr %p
; CHECK:         ret i64
; CHECK:       [[COLD]]:
; CHECK-NEXT:    call void asm sideeffect "call __ana_check@PLT # 1\0A\09nopl ${0:c}(%rip)\0A\09nopl $1\0A\09testb $$7, %al",
; CHECK-SAME:      "i,*m,~{r11},~{memory},~{dirflag},~{fpsr},~{flags}"(ptr @ana.site{{.*}}, ptr elementtype(i8) %p)
; CHECK:       [[POLL]]:
; CHECK:         call __ana_poll@PLT # 0\0A
define i64 @read(ptr %p) {
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

; A write looks at the other half of the entry, and says so in its range.
; CHECK-LABEL: define void @write(
; CHECK:         add i64 %{{.*}}, 2097156
; CHECK:         store i32 1, ptr %p
; CHECK:         call __ana_check@PLT # 1\0A\09nopl ${0:c}(%rip)\0A\09nopq $1\0A\09testb $$3, %al"
define void @write(ptr %p) {
  store i32 1, ptr %p, align 4
  ret void
}

; Neither a check nor a poll.
; CHECK-LABEL: define i32 @leaf(
; CHECK-NEXT:    add
; CHECK-NEXT:    ret
define i32 @leaf(i32 %a) {
  %b = add i32 %a, 1
  ret i32 %b
}

; A call is reason enough to poll.
; CHECK-LABEL: define void @calls(
; CHECK:         inttoptr (i64 16 to
; CHECK:         call void @elsewhere()
; CHECK-NOT:     __ana_check
; CHECK:         ret void
define void @calls() {
  call void @elsewhere()
  ret void
}
declare void @elsewhere()

; CHECK-LABEL: define void @naked(
; CHECK-NEXT:    unreachable
define void @naked() naked {
  unreachable
}
; CHECK-LABEL: define i32 @unwanted(
; CHECK-NEXT:    load
define i32 @unwanted(ptr %p) disable_sanitizer_instrumentation {
  %v = load i32, ptr %p
  ret i32 %v
}

; Addresses of thread-local variables are in registers: behind fs the runtime could not find them.
; CHECK-LABEL: define ptr @thread_local(
; CHECK:         call __ana_check@PLT # 1\0A\09nopl ${0:c}(%rip)\0A\09nopq 16($1)\0A\09testb $$7, %al", "i,r,
define ptr @thread_local() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @own)
  %q = getelementptr i8, ptr %p, i64 16
  store i64 1, ptr %q, align 8
  ret ptr %p
}
@own = thread_local global [4 x i64] zeroinitializer, align 32
declare ptr @llvm.threadlocal.address.p0(ptr)

; No function has a red zone: the compiler does not know of the calls.
; CHECK: attributes #{{.*}} = { noredzone }
