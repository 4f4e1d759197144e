/* Sixteen bytes at once with cmpxchg16b: a pointer-and-version pair. Needs -mcx16. */
#include "support.h"

typedef unsigned __int128 Wide;
_Alignas(16) Wide pair;

static uint64_t body(int index) {
  uint64_t hash = 0, retries = 0;
  for (int i = 0, n = share_of(12000); i < n; i++) {
    Wide seen = pair;
    for (;;) {
      Wide next = ((Wide)((uint64_t)(seen >> 64) + 1) << 64) | (uint64_t)(mix((uint64_t)seen, (uint64_t)index));
      Wide was = __sync_val_compare_and_swap(&pair, seen, next);
      if (was == seen) break;
      seen = was;
      retries++;
    }
    hash = mix(hash, (uint64_t)(seen >> 64));
    yield_every(i, 128);
  }
  return mix(hash, retries);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("version %" PRIu64 " value %016" PRIx64 "\n", (uint64_t)(pair >> 64), (uint64_t)pair);
  print_results();
  return 0;
}
