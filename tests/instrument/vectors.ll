; RUN: %opt < %s | %check
; Masked accesses, gathers and scatters.
target triple = "x86_64-pc-linux-gnu"
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, i32, <4 x i1>)

; CHECK-LABEL: define void @masked(
; CHECK:         2097156
; CHECK:         call <4 x i32> @llvm.masked.load
; CHECK:         call void @llvm.masked.store
; CHECK:         __ana_check@PLT # 1\0A
define void @masked(ptr %p, <4 x i1> %m) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 16, <4 x i1> %m, <4 x i32> poison)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr %p, i32 16, <4 x i1> %m)
  ret void
}

; A lane that is masked off counts as a byte of the thread's own.
; CHECK-LABEL: define <4 x i32> @gather(
; CHECK:         %ana.lane = alloca
; CHECK:         extractelement <4 x i1> %m, i64 0
; CHECK:         select i1 %{{.*}}, ptr %{{.*}}, ptr %ana.lane
; CHECK-COUNT-4: load i32, ptr addrspace(256)
; CHECK:         call <4 x i32> @llvm.masked.gather
; CHECK:         __ana_check@PLT # 4\0A
define <4 x i32> @gather(<4 x ptr> %p, <4 x i1> %m) {
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %p, i32 4, <4 x i1> %m, <4 x i32> poison)
  ret <4 x i32> %v
}

; CHECK-LABEL: define void @scatter(
; CHECK-NOT:     ana.lane
; CHECK-COUNT-3: 2097156
; CHECK:         call void @llvm.masked.scatter
; CHECK:         __ana_check@PLT # 3\0A
define void @scatter(<4 x ptr> %p, <4 x i32> %v) {
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> %p, i32 4, <4 x i1> <i1 1, i1 0, i1 1, i1 1>)
  ret void
}
