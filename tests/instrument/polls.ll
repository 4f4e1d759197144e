; RUN: %opt < %s | %check
; RUN: %plain < %s | %check --check-prefix=PLAIN
; Every cycle of the control flow counts.
target triple = "x86_64-pc-linux-gnu"
declare i32 @_setjmp(ptr) returns_twice
@buffer = external global [25 x i64]

; Two blocks that jump into each other, entered at both: no loop by the book, one poll all the same.
; CHECK-LABEL: define i32 @irreducible(
; CHECK:         inttoptr (i64 16 to
; CHECK:       {{^(a|b):}}
; CHECK:         inttoptr (i64 16 to
; CHECK:       done:
define i32 @irreducible(i1 %c, i32 %n, ptr %p) {
entry:
  br i1 %c, label %a, label %b
a:
  %x = phi i32 [ %n, %entry ], [ %y1, %b ]
  %x1 = sub i32 %x, 1
  %xc = icmp eq i32 %x1, 0
  br i1 %xc, label %done, label %b
b:
  %y = phi i32 [ %n, %entry ], [ %x1, %a ]
  %v = load i32, ptr %p
  %y1 = sub i32 %y, %v
  %yc = icmp eq i32 %y1, 0
  br i1 %yc, label %done, label %a
done:
  ret i32 0
}

; The second return is a new count.
; CHECK-LABEL: define i32 @jumps(
; CHECK:         inttoptr (i64 16 to
; CHECK:         call i32 @_setjmp
; CHECK:         inttoptr (i64 16 to
; CHECK:         ret i32
define i32 @jumps() {
  %r = call i32 @_setjmp(ptr @buffer) returns_twice
  ret i32 %r
}

; A loop of unknown length polls in each iteration, even with nothing to check.
; CHECK-LABEL: define i64 @collatz(
; CHECK:       loop:
; CHECK:         inttoptr (i64 16 to
define i64 @collatz(i64 %n) {
entry:
  br label %loop
loop:
  %x = phi i64 [ %n, %entry ], [ %z, %loop ]
  %odd = and i64 %x, 1
  %three = mul i64 %x, 3
  %y = add i64 %three, 1
  %half = lshr i64 %x, 1
  %is = icmp eq i64 %odd, 0
  %z = select i1 %is, i64 %half, i64 %y
  %end = icmp eq i64 %z, 1
  br i1 %end, label %done, label %loop
done:
  ret i64 %z
}

; A short counted loop without checks needs none, unless that is switched off.
; CHECK-LABEL: define i64 @short(
; CHECK-NOT:     addrspace(256)
; CHECK:         ret i64
; PLAIN-LABEL: define i64 @short(
; PLAIN:       loop:
; PLAIN:         inttoptr (i64 16 to
define i64 @short(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi i64 [ %n, %entry ], [ %t, %loop ]
  %t = mul i64 %s, %s
  %j = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %j, 10
  br i1 %end, label %done, label %loop
done:
  ret i64 %t
}

; The inner loop runs at least once and polls in each iteration: the outer one need not poll besides.
; CHECK-LABEL: define void @always_inside(
; CHECK:       {{^}}inner:
; CHECK:         load volatile i64, ptr addrspace(256) inttoptr (i64 64 to
; CHECK:       {{^}}next:
; CHECK-NOT:     addrspace(256) inttoptr (i64 64 to
; CHECK:         br i1 %more, label %outer, label %done
define void @always_inside(ptr %p, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  br label %inner
inner:
  %at = phi ptr [ %p, %outer ], [ %at1, %inner ]
  %at1 = load ptr, ptr %at, align 8
  %last = icmp eq ptr %at1, null
  br i1 %last, label %next, label %inner
next:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %outer, label %done
done:
  ret void
}

; The inner loop may be passed by: both poll.
; CHECK-LABEL: define void @sometimes_inside(
; CHECK:       {{^}}inner:
; CHECK:         load volatile i64, ptr addrspace(256) inttoptr (i64 64 to
; CHECK:       {{^}}next:
; CHECK:         load volatile i64, ptr addrspace(256) inttoptr (i64 64 to
; CHECK:         br i1 %more, label %outer, label %done
define void @sometimes_inside(ptr %p, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %head = load ptr, ptr %p, align 8
  %none = icmp eq ptr %head, null
  br i1 %none, label %next, label %inner
inner:
  %at = phi ptr [ %head, %outer ], [ %at1, %inner ]
  %at1 = load ptr, ptr %at, align 8
  %last = icmp eq ptr %at1, null
  br i1 %last, label %next, label %inner
next:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %outer, label %done
done:
  ret void
}
