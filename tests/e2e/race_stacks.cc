// Races whose stacks are known: by recursion, through a callback of the C library, through a template, after an exception
// and a jump that left calls without returning from them.
#include <setjmp.h>
#include <stdlib.h>

#include <thread>

static long total;

[[gnu::noinline]] static void deepest(int n) { total += n; }

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

int main() {
  std::thread a(first_body), b(second_body);
  a.join();
  b.join();
}
