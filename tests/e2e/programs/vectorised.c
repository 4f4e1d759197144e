/* Loops over shared arrays that the compiler vectorises: sums, copies, scaled additions, byte counts, reversals. */
#include "support.h"

enum { kSize = 4096 };
int first[kSize], second[kSize];
float values[kSize];
unsigned char bytes[kSize];

static void __attribute__((noinline)) scale(int n, int by) {
  for (int i = 0; i < n; i++) first[i] = first[i] * 3 + second[i] + by;
}

static long __attribute__((noinline)) total(int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) sum += first[i] ^ second[i];
  return sum;
}

static void __attribute__((noinline)) shuffle(int n) {
  for (int i = 0; i < n; i++) second[i] = first[n - 1 - i];
  for (int i = 0; i < n; i++) bytes[i] = (unsigned char)(bytes[i] + (unsigned char)first[i]);
  for (int i = 0; i < n; i++) values[i] = values[i] * 0.5f + (float)bytes[i];
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(160); i < n; i++) {
    int size = kSize - (i * 61 + index) % 900;
    scale(size, index);
    hash = mix(hash, (uint64_t)total(size));
    shuffle(size);
    if (i % 4 == 0) sched_yield();
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("total %ld, value %.9g, byte %d\n", total(kSize), values[100], bytes[200]);
  print_results();
  return 0;
}
