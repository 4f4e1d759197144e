/* Blocks allocated here and freed there; the addresses are printed. */
#include <stdatomic.h>

#include "support.h"

enum { kMail = 64 };
_Atomic(void *) mail[kMail];

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t random = (uint32_t)index * 2654435761u + 1;
  for (int i = 0, n = share_of(12000); i < n; i++) {
    uint32_t r = next_random(&random);
    size_t size = 1 + r % ((i & 63) == 0 ? 100000 : 500);
    unsigned char *block = r & 1 ? (unsigned char *)malloc(size) : (unsigned char *)calloc(1, size);
    block[0] = (unsigned char)index;
    block[size - 1] = (unsigned char)i;
    hash = mix(hash, (uint64_t)(uintptr_t)block);
    unsigned char *other = (unsigned char *)atomic_exchange(&mail[r % kMail], (void *)block);
    if (other != NULL) {
      hash = mix(hash, other[0]);
      free(other);
    }
    yield_every(i, 256);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < kMail; i++) {
    printf("%p\n", atomic_load(&mail[i]));
    free(atomic_load(&mail[i]));
  }
  print_results();
  return 0;
}
