/* Loops with strides up, down, by variables, over rows and columns, nested and with early exits. */
#include "support.h"

enum { kSide = 64 };
long field[kSide * kSide];

static long __attribute__((noinline)) column(int at, int step) {
  long sum = 0;
  for (int i = at; i < kSide * kSide; i += step) sum += field[i];
  return sum;
}

static void __attribute__((noinline)) backwards(int from, int step, long value) {
  for (int i = from; i >= 0; i -= step) field[i] += value;
}

static int __attribute__((noinline)) find(long limit) {
  for (int i = 0; i < kSide; i++)
    for (int j = 0; j < kSide; j++)
      if (field[j * kSide + i] > limit) return i * kSide + j;
  return -1;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(400); i < n; i++) {
    hash = mix(hash, (uint64_t)column((i + index) % kSide, 1 + (i * 7 + index) % 130));
    backwards(kSide * kSide - 1 - i % 50, 3 + (index + i) % 70, index + 1);
    hash = mix(hash, (uint64_t)find(20 + i));
    if (i % 16 == 0) sched_yield();
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("columns %ld %ld\n", column(0, 1), column(5, 64));
  print_results();
  return 0;
}
