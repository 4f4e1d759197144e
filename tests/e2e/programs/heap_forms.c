/* The family of malloc in all its forms, sizes large and small, across threads; what it says of itself. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdatomic.h>

#include "inputs.h"

static void *_Atomic handed[64];

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < share_of(800); i++) {
    size_t size = (size_t)(now() % 5000) + 1;
    void *block = NULL;
    switch (i % 7) {
      case 0: block = malloc(size); break;
      case 1: block = calloc(size, 3); break;
      case 2: block = aligned_alloc(64, (size + 63) & ~(size_t)63); break;
      case 3: hash = mix_result(hash, posix_memalign(&block, 4096, size)); break;
      case 4: block = memalign(256, size); break;
      case 5: block = realloc(NULL, size * 20); break;
      case 6: block = valloc(size); break;
    }
    if (!block) return 1;
    hash = mix(mix(hash, (uint64_t)(uintptr_t)block), malloc_usable_size(block) >= size);
    memset(block, i, 1);
    if (i % 3 == 0) block = realloc(block, size * 2);
    if (i % 5 == 0) block = reallocarray(block, size, 4);
    void *old = atomic_exchange(&handed[now() % 64], block);
    if (old) hash = mix(hash, *(unsigned char *)old);
    free(old);
  }
  hash = mix(hash, malloc((size_t)-1 / 2) == NULL);
  char *large = malloc(3 << 20);
  hash = mix(hash, (uint64_t)(uintptr_t)large);
  free(large);
  hash = mix(hash, malloc_trim(0) >= 0);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < 64; i++) free(handed[i]);
  print_results();
  return 0;
}
