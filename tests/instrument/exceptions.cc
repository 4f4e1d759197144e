// RUN: %clang -O0 -S -emit-llvm -fexceptions %s -o - | %check
// RUN: %clang -O2 -S -emit-llvm -fexceptions %s -o - | %check
// RUN: %clang -O2 -c -fexceptions %s -o %t.o
// Landing pads stay the first of their blocks, and both ways out of an invoke are instrumented.
struct Guard {
  int *p;
  ~Guard() { *p = 1; }
};
void may_throw();

// CHECK-LABEL: define {{.*}} @_Z6guardsPiS_(
// CHECK:         invoke void @_Z9may_throwv()
// CHECK:         landingpad { ptr, i32 }
// CHECK:         __ana_check
int guards(int *p, int *q) {
  Guard guard{p};
  try {
    may_throw();
    return *q;
  } catch (int &x) {
    *q += x;
  }
  return 0;
}
