; RUN: %opt < %s | %check
; Copies of memory and string functions.
target triple = "x86_64-pc-linux-gnu"
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @__memcpy_chk(ptr, ptr, i64, i64)
declare i64 @strlen(ptr)
declare i32 @strcmp(ptr, ptr)
declare i32 @strncmp(ptr, i32)

; CHECK-LABEL: define void @intrinsics(
; CHECK:         call ptr @__ana_memcpy(ptr %a, ptr %b, i64 %n, ptr @ana.site{{.*}})
; CHECK:         call ptr @__ana_memmove(ptr %a, ptr %b, i64 100, ptr @ana.site{{.*}})
; CHECK:         [[BYTE:%.*]] = zext i8 %c to i32
; CHECK:         call ptr @__ana_memset(ptr %a, i32 [[BYTE]], i64 %n, ptr @ana.site{{.*}})
; CHECK:         [[SIZE:%.*]] = zext i32 %m to i64
; CHECK:         call ptr @__ana_memset(ptr %a, i32 0, i64 [[SIZE]],
; CHECK-NOT:     llvm.mem
; CHECK:         ret void
define void @intrinsics(ptr %a, ptr %b, i64 %n, i8 %c, i32 %m) {
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %b, i64 100, i1 false)
  call void @llvm.memset.p0.i64(ptr %a, i8 %c, i64 %n, i1 false)
  call void @llvm.memset.p0.i32(ptr %a, i8 0, i32 %m, i1 false)
  ret void
}

; Small ones stay inline; source and destination are one bundle.
; CHECK-LABEL: define void @assign(
; CHECK:         2097156
; CHECK:         2097152
; CHECK:         call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 8 %b, i64 40, i1 false)
; CHECK:         __ana_check@PLT # 2\0A
define void @assign(ptr %a, ptr %b) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 8 %b, i64 40, i1 false)
  ret void
}

; Between private objects nobody needs to know.
; CHECK-LABEL: define void @local(
; CHECK:         call void @llvm.memset
define void @local(i64 %n) {
  %a = alloca [1000 x i8]
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 %n, i1 false)
  ret void
}

; CHECK-LABEL: define ptr @library(
; CHECK:         [[R:%.*]] = call ptr @__ana_memcpy(ptr %a, ptr %b, i64 %n, ptr @ana.site
; CHECK:         ret ptr [[R]]
define ptr @library(ptr %a, ptr %b, i64 %n) {
  %r = call ptr @memcpy(ptr %a, ptr %b, i64 %n)
  ret ptr %r
}

; What fortification would stop is still stopped by the library.
; CHECK-LABEL: define void @fortified(
; CHECK:         [[BIG:%.*]] = icmp ugt i64 %n, 10
; CHECK:         br i1 [[BIG]]
; CHECK:         call ptr @__memcpy_chk(ptr %a, ptr %b, i64 %n, i64 10)
; CHECK:         call ptr @__ana_memcpy(ptr %a, ptr %b, i64 %n, ptr @ana.site
define void @fortified(ptr %a, ptr %b, i64 %n) {
  %r = call ptr @__memcpy_chk(ptr %a, ptr %b, i64 %n, i64 10)
  ret void
}

; By name and signature; a function that only looks like one of them is left alone.
; CHECK-LABEL: define i64 @strings(
; CHECK:         call i64 @__ana_strlen(ptr %a)
; CHECK:         call i32 @__ana_strcmp(ptr %a, ptr %b)
; CHECK:         call i32 @strncmp(ptr %a, i32 1)
define i64 @strings(ptr %a, ptr %b) {
  %l = call i64 @strlen(ptr %a)
  %c = call i32 @strcmp(ptr %a, ptr %b)
  %d = call i32 @strncmp(ptr %a, i32 1)
  ret i64 %l
}
