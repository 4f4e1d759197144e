/* A sieve whose flags all threads write; each prime is taken from a racing cursor, so work is done twice or more. */
#include "support.h"

enum { kLimit = 40000 };
unsigned char composite[kLimit];
int cursor = 2;

static uint64_t body(int index) {
  uint64_t struck = 0, hash = (uint64_t)index;
  for (;;) {
    int prime = cursor;
    while (prime * prime < kLimit && composite[prime]) prime++;
    if (prime * prime >= kLimit) break;
    cursor = prime + 1;
    for (int k = prime * prime; k < kLimit; k += prime) {
      struck += composite[k] == 0;
      composite[k] = 1;
    }
    hash = mix(hash, (uint64_t)prime);
    sched_yield();
  }
  return mix(hash, struck);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  int primes = 0;
  for (int i = 2; i < kLimit; i++) primes += !composite[i];
  printf("%d primes\n", primes);
  print_results();
  return 0;
}
