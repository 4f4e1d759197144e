/* Bit-fields that share a word: each store rewrites its neighbours. */
#include "support.h"

struct Flags {
  unsigned low : 5;
  unsigned middle : 11;
  unsigned high : 16;
  unsigned long wide : 40;
  unsigned long rest : 24;
};

struct Flags flags;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(40000); i < n; i++) {
    switch ((index + i / 16) & 3) {
      case 0: flags.low++; break;
      case 1: flags.middle += 3; break;
      case 2: flags.high ^= flags.middle; break;
      default: flags.wide += flags.rest++; break;
    }
    hash = mix(hash, flags.low | (unsigned)flags.middle << 5);
    yield_every(i, 256);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("%u %u %u %lu %lu\n", flags.low, flags.middle, flags.high, (unsigned long)flags.wide,
         (unsigned long)flags.rest);
  print_results();
  return 0;
}
