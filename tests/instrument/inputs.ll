; RUN: %opt < %s | %check
; Instructions whose results are inputs of the program.
target triple = "x86_64-pc-linux-gnu"
declare i64 @llvm.readcyclecounter()
declare i64 @llvm.x86.rdtsc()
declare { i64, i32 } @llvm.x86.rdtscp()
declare { i32, i32 } @llvm.x86.rdrand.32()
declare { i64, i32 } @llvm.x86.rdseed.64()

; CHECK-LABEL: define i64 @intrinsics(
; CHECK:         call i64 @__ana_rdtsc()
; CHECK:         call i64 @__ana_rdtsc()
; CHECK:         [[TSC:%.*]] = call i64 @__ana_rdtscp(ptr [[AUX:%.*]])
; CHECK-NEXT:    load i32, ptr [[AUX]]
; CHECK:         [[R:%.*]] = call i64 @__ana_rdrand(i32 32, ptr [[OK:%.*]])
; CHECK:         trunc i64 [[R]] to i32
; CHECK:         call i64 @__ana_rdseed(i32 64, ptr
; CHECK-NOT:     @llvm.x86
; CHECK:         ret i64
define i64 @intrinsics() {
  %a = call i64 @llvm.readcyclecounter()
  %b = call i64 @llvm.x86.rdtsc()
  %c = call { i64, i32 } @llvm.x86.rdtscp()
  %d = call { i32, i32 } @llvm.x86.rdrand.32()
  %e = call { i64, i32 } @llvm.x86.rdseed.64()
  %f = extractvalue { i64, i32 } %c, 0
  %g = extractvalue { i32, i32 } %d, 0
  %h = extractvalue { i64, i32 } %e, 1
  ret i64 %f
}

; CHECK-LABEL: define i32 @assembly(
; CHECK:         [[T:%.*]] = call i64 @__ana_rdtsc()
; CHECK-DAG:     and i64 [[T]], 4294967295
; CHECK-DAG:     lshr i64 [[T]], 32
; CHECK:         call i64 @__ana_rdrand(i32 64, ptr
; CHECK:         asm sideeffect "cpuid"
; CHECK:         ret i32
define i32 @assembly() {
  %t = call { i32, i32 } asm sideeffect "rdtsc", "={ax},={dx},~{dirflag},~{fpsr},~{flags}"()
  %r = call { i64, i8 } asm sideeffect "\09rdrand $0 \0A\09 setc $1", "=r,=q,~{cc},~{dirflag},~{fpsr},~{flags}"()
  call void asm sideeffect "cpuid", "~{ax},~{bx},~{cx},~{dx}"()
  %l = extractvalue { i32, i32 } %t, 0
  ret i32 %l
}

; cpuid as <cpuid.h> has it, with and without a part, and plain; xgetbv.
; CHECK-LABEL: define i32 @identification(
; CHECK:         [[OUT:%.*]] = alloca [4 x i32]
; CHECK:         call i64 @__ana_cpuid(i32 %leaf, i32 0, ptr
; CHECK:         call i64 @__ana_cpuid(i32 %leaf, i32 3, ptr
; CHECK:         call i64 @__ana_cpuid(i32 %leaf, i32 0, ptr [[OUT]])
; CHECK:         [[B:%.*]] = getelementptr inbounds [4 x i32], ptr [[OUT]], i32 0, i32 1
; CHECK:         load i32, ptr [[B]]
; CHECK:         call i64 @__ana_xgetbv(i32 0)
; CHECK:         call i64 @__ana_rdpid()
; CHECK-NOT:     asm
; CHECK:         ret i32
define i32 @identification(i32 %leaf) {
  %a = call { i32, i32, i32, i32 } asm "  xchgq %rbx,${1:q}\0A  cpuid\0A  xchgq %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 %leaf)
  %b = call { i32, i32, i32, i32 } asm "  xchgq %rbx,${1:q}\0A  cpuid\0A  xchgq %rbx,${1:q}", "={ax},=r,={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}"(i32 %leaf, i32 3)
  %c = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},~{dirflag},~{fpsr},~{flags}"(i32 %leaf)
  %d = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)
  %p = call i64 asm sideeffect "rdpid $0", "=r,~{dirflag},~{fpsr},~{flags}"()
  %e = extractvalue { i32, i32, i32, i32 } %c, 1
  ret i32 %e
}
