// RUN: %clang -O1 -g -S -emit-llvm %s -o - | %check
// RUN: %clang -O1 -g -fPIC -ffunction-sections -c %s -o %t.o
// RUN: %clang -O1 -S -emit-llvm %s -o - | %check --check-prefix=BARE
// A site says where the access stands in the source: in the innermost inlined function.

// CHECK-DAG: @[[FILE:ana.text[.0-9]*]] = private unnamed_addr constant {{.*}}sites.c\00", align 1
// CHECK-DAG: @[[INNER:ana.text[.0-9]*]] = private unnamed_addr constant [6 x i8] c"inner\00", align 1
// CHECK-DAG: @[[SITE:ana.site[.0-9]*]] = private constant { i32, i32, i32, i32 } { i32 trunc (i64 sub (i64 ptrtoint (ptr @[[FILE]] to i64), i64 ptrtoint (ptr @[[SITE]] to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr @[[INNER]] to i64), i64 ptrtoint (ptr getelementptr inbounds (i32, ptr @[[SITE]], i64 1) to i64)) to i32), i32 [[# @LINE + 4]], i32 541065272 }, section "ana_sites", align 4

// Without debug information, the function's name.
// BARE: @ana.site = private constant { i32, i32, i32, i32 } { i32 0, i32 trunc ({{.*}}@ana.text{{.*}}), i32 0, i32 541065216 }, section "ana_sites", align 4
static inline int inner(int *p) { return __builtin_abs(*p); }
int outer(int *p) { return inner(p) + 1; }
