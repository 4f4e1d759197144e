/* A histogram with and without atomics: the difference is what was lost. */
#include "support.h"

enum { kBins = 32 };
unsigned racy[kBins], exact[kBins];
unsigned short narrow[kBins];

static uint64_t body(int index) {
  uint32_t random = (uint32_t)index * 99u + 5;
  for (int i = 0, n = share_of(40000); i < n; i++) {
    unsigned bin = next_random(&random) % kBins;
    racy[bin]++;
    narrow[bin]++;
    __atomic_fetch_add(&exact[bin], 1, __ATOMIC_RELAXED);
    yield_every(i, 300);
  }
  uint64_t hash = 0;
  for (int i = 0; i < kBins; i++) hash = mix(hash, racy[i]);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < kBins; i++) printf("bin %d: %u of %u, %u\n", i, racy[i], exact[i], narrow[i]);
  print_results();
  return 0;
}
