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

// Two strides, held by the check and the poll inside: they share the numbers of bytes behind their starts, so that each
// costs the loop one register. The cold calls add up by themselves.
// CHECK-LABEL: butterflies:
// CHECK:         callq __ana_scan_write@PLT
// CHECK:         callq __ana_scan_write@PLT
// CHECK:         callq __ana_check@PLT # 3
// CHECK-NEXT:    nopl
// CHECK:         nopq ([[LOW:%r..?]],[[FROM:%r..?]])
// CHECK-NEXT:    nopl 15([[LOW]],[[TO:%r..?]])
// CHECK-NEXT:    nopq ([[HIGH:%r..?]],[[FROM]])
// CHECK-NEXT:    nopl 15([[HIGH]],[[TO]])
struct pair { double re, im; };
void butterflies(struct pair *low, struct pair *high, const struct pair *roots, long n, long stride) {
#pragma clang loop vectorize(disable)
  for (long k = 0; k < n; k++) {
    struct pair w = roots[k * stride], a = low[k], b = high[k];
    low[k] = (struct pair){a.re + w.re * b.re, a.im + w.im * b.im};
    high[k] = (struct pair){a.re - w.re * b.re, a.im - w.im * b.im};
  }
}

// What an address can scale by itself is not multiplied before.
// CHECK-LABEL: indirect:
// CHECK:         callq __ana_poll@PLT # 1
// CHECK:         nopl ([[AT:%r..?]],{{%r..?}},8)
// CHECK-NEXT:    nopl 7([[AT]],{{%r..?}},8)
long indirect(const long *at, const long *from, long n) {
  long sum = 0;
#pragma clang loop unroll(disable) vectorize(disable)
  for (long i = 0; i < n; i++) sum += from[at[i]];
  return sum;
}

// The runtime does not know where fs is: addresses of thread-local variables are in registers.
// CHECK-LABEL: indirect_local:
// CHECK:         callq __ana_scan_read@PLT
// CHECK:         callq __ana_poll@PLT # 1
// CHECK-NOT:     nop{{.*}}%fs
// CHECK-NOT:     nop{{.*}}@
// CHECK:         .size indirect_local
_Thread_local long places[1000];
long *where_places_are(void) { return places; }
long indirect_local(const long *from, long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) sum += from[places[i]];
  return sum;
}
