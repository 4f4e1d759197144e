// RUN: %clang -O2 -S %s -o - | %check
// The code of the fast path: the table's entry is an operand of the comparison, cold blocks stand behind the return, and
// nothing is spilled for their sake.

// CHECK-LABEL: increment:
// CHECK:         incq
// CHECK-NEXT:    movq {{.*}}, %gs:16
// CHECK-NEXT:    cmpq %gs:64,
// CHECK-NEXT:    jae
// CHECK:         movl %gs:8, [[EPOCH:%e..]]
// CHECK-NEXT:    movq %rdi, [[LINE:%r..]]
// CHECK-NEXT:    shrq $6, [[LINE]]
// CHECK-NEXT:    andl $2147483647,
// CHECK-NEXT:    cmpl [[EPOCH]], %gs:2097156(,[[LINE]],8)
// CHECK-NEXT:    jb
// CHECK-NOT:     rsp
// CHECK:         incl (%rdi)
// CHECK:         ret
// CHECK-DAG:     __ana_check
// CHECK-DAG:     __ana_poll
void increment(int *p) { ++*p; }
