; RUN: %opt < %s | %check
; Accesses that may lie in two lines.
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: define i64 @aligned(
; CHECK-COUNT-1: load i32, ptr addrspace(256)
; CHECK-NOT:     load i32, ptr addrspace(256)
; CHECK:         ret i64
define i64 @aligned(ptr %p) {
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

; CHECK-LABEL: define i64 @unaligned(
; CHECK:         load i32, ptr addrspace(256)
; CHECK:         add i64 %{{.*}}, 7
; CHECK:         load i32, ptr addrspace(256)
; CHECK:         load i64, ptr %p, align 4
define i64 @unaligned(ptr %p) {
  %v = load i64, ptr %p, align 4
  ret i64 %v
}

; Two aligned fields that may lie in two lines; the check looks at the first and at the last byte.
; CHECK-LABEL: define i64 @fields(
; CHECK-COUNT-2: load i32, ptr addrspace(256)
; CHECK-NOT:     load i32, ptr addrspace(256)
; CHECK:         ret i64
; CHECK:         call __ana_check@PLT # 1\0A
define i64 @fields(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 8
  %r = getelementptr i8, ptr %p, i64 16
  %a = load i64, ptr %p, align 8
  %b = load i64, ptr %q, align 8
  %c = load i64, ptr %r, align 8
  %d = add i64 %a, %b
  %e = add i64 %c, %d
  ret i64 %e
}

; Known to be in one line.
; CHECK-LABEL: define i64 @aligned_fields(
; CHECK-COUNT-1: load i32, ptr addrspace(256)
; CHECK-NOT:     load i32, ptr addrspace(256)
; CHECK:         ret i64
define i64 @aligned_fields(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 8
  %a = load i64, ptr %p, align 16
  %b = load i64, ptr %q, align 8
  %c = add i64 %a, %b
  ret i64 %c
}

; 128 bytes: three lines, or two.
; CHECK-LABEL: define <16 x double> @wide(
; CHECK-COUNT-3: load i32, ptr addrspace(256)
; CHECK-NOT:     load i32, ptr addrspace(256)
; CHECK:         ret <16 x double>
define <16 x double> @wide(ptr %p) {
  %v = load <16 x double>, ptr %p, align 8
  ret <16 x double> %v
}
