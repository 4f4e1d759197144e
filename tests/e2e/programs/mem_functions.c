/* memcpy, memmove, memset and memcmp over shared buffers, of sizes that the compiler knows and that it does not. */
#include "support.h"

enum { kSize = 4096 };
unsigned char left[kSize], right[kSize];

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t random = (uint32_t)index * 7919u + 1;
  for (int i = 0, n = share_of(6000); i < n; i++) {
    uint32_t r = next_random(&random);
    size_t at = r % (kSize - 600), size = (r >> 16) % 600;
    switch (i % 5) {
      case 0: memset(left + at, index + i, size); break;
      case 1: memcpy(right + at, left + at, size); break;
      case 2: memmove(left + at + 7, left + at, size / 2); break;
      case 3: memcpy(left, right + at, 64); break;
      default: hash = mix(hash, memcmp(left + at, right + at, size) == 0); break;
    }
    hash = mix(hash, left[at] + 256u * right[at + size]);
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  uint64_t hash = 0;
  for (int i = 0; i < kSize; i++) hash = mix(hash, left[i] * 256u + right[i]);
  printf("memory %016" PRIx64 "\n", hash);
  print_results();
  return 0;
}
