// Races whose stacks are known: by recursion, through a callback of the C library, through a template, after an exception
// and a jump that left calls without returning from them, and in main, which the C library calls after constructors.
#include <setjmp.h>
#include <stdlib.h>

#include <thread>
#include <vector>

static long total;
static std::vector<long> block;

struct Early {
  [[gnu::noinline]] static int early(int n) { return n ? early(n - 1) + total : 0; }
  Early() { early(3); }
};
static Early made_before_main;

[[gnu::noinline]] static void deepest(int n) {
  total += n;
  block.data()[0] += n;
}

[[gnu::noinline]] static void recurse(int n) {
  if (n > 0) recurse(n - 1);
  else deepest(n + 1);
  asm volatile("" ::: "memory");  // no tail call
}

[[gnu::noinline]] static void throw_far(int n) {
  if (n == 0) throw 1;
  throw_far(n - 1);
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] static void jump_far(jmp_buf& to, int n) {
  if (n == 0) longjmp(to, 1);
  jump_far(to, n - 1);
  asm volatile("" ::: "memory");
}

static int compare(const void* a, const void* b) {
  total++;
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

[[gnu::noinline]] static void sort_some() {
  int values[4] = {3, 1, 2, 0};
  qsort(values, 4, sizeof *values, compare);
  asm volatile("" ::: "memory");
}

template <class F>
[[gnu::noinline]] static void call_it(F f) {
  f();
  asm volatile("" ::: "memory");
}

static void leave_calls() {
  try {
    throw_far(5);
  } catch (int) {
  }
  jmp_buf here;
  if (!setjmp(here)) jump_far(here, 5);
}

[[gnu::noinline]] static void first_body() {
  leave_calls();
  call_it([] { recurse(3); });
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] static void second_body() {
  leave_calls();
  sort_some();
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] static void from_main() { block.data()[0]++; }

int main() {
  block.resize(100);
  std::thread a(first_body), b(second_body);
  from_main();
  a.join();
  b.join();
}
