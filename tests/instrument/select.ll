; RUN: %plain < %s | %check
; Which memory is checked.
target triple = "x86_64-pc-linux-gnu"
@constant = constant i32 1
@own = internal thread_local global i32 0
@lent = internal thread_local global i32 0
@open = thread_local global i32 0
declare void @take(ptr)
declare ptr @llvm.threadlocal.address.p0(ptr)
declare noalias ptr @malloc(i64)

; CHECK-LABEL: define i32 @private(
; CHECK-NOT:     __ana_check
; CHECK:       ret i32
define i32 @private() {
  %a = alloca i32
  store i32 1, ptr %a
  %c = load i32, ptr @constant
  %t = call ptr @llvm.threadlocal.address.p0(ptr @own)
  %v = load i32, ptr %t
  %m = call ptr @malloc(i64 4)
  store i32 %c, ptr %m
  %s = add i32 %c, %v
  ret i32 %s
}

; CHECK-LABEL: define void @escaped(
; CHECK:         store i32 1, ptr %a
; CHECK:         call __ana_check@PLT
define void @escaped() {
  %a = alloca i32
  call void @take(ptr %a)
  store i32 1, ptr %a
  ret void
}

; CHECK-LABEL: define i32 @lent_tls(
; CHECK:         call __ana_check@PLT
define i32 @lent_tls() {
  %t = call ptr @llvm.threadlocal.address.p0(ptr @lent)
  call void @take(ptr %t)
  %v = load i32, ptr %t
  ret i32 %v
}

; Other modules may have taken its address.
; CHECK-LABEL: define i32 @open_tls(
; CHECK:         call __ana_check@PLT
define i32 @open_tls() {
  %t = call ptr @llvm.threadlocal.address.p0(ptr @open)
  %v = load i32, ptr %t
  ret i32 %v
}

; CHECK-LABEL: define i32 @by_value(
; CHECK-NOT:     __ana_check
; CHECK:       ret i32
define i32 @by_value(ptr byval(i32) %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

; Memory of other segments is not the program's.
; CHECK-LABEL: define i32 @segment(
; CHECK-NOT:     __ana_check
; CHECK:       ret i32
define i32 @segment() {
  %v = load i32, ptr addrspace(257) null
  ret i32 %v
}
