/* 128-bit integers, long doubles, vectors of the language, bit counting, saturating sums: in memory that races. */
#include "support.h"

typedef unsigned __int128 Wide;
typedef int32_t Vector __attribute__((vector_size(32)));

static Wide wide[4];
static long double slow[4];
static Vector vectors[4];
static uint8_t bytes[32];

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(2000); i < n; i++) {
    int k = (i + index) % 4;
    wide[k] = wide[(k + 1) % 4] * 1000003u + (Wide)(unsigned)index;
    slow[k] = slow[(k + 1) % 4] / 3 + index;
    vectors[k] = vectors[(k + 2) % 4] * 3 + index;
    bytes[i % 32] = (uint8_t)(bytes[(i * 5) % 32] + index);
    hash = mix(hash, (uint64_t)(wide[(k + 2) % 4] >> 17));
    hash = mix(hash, (uint64_t)(slow[(k + 3) % 4] * 1000));
    hash = mix(hash, (uint64_t)(uint32_t)vectors[(k + 1) % 4][i % 8]);
    int sum;
    hash = mix(hash, (uint64_t)__builtin_add_overflow((int)hash, index << 28, &sum) + (uint64_t)__builtin_popcountll(hash));
    yield_every(i, 100);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  wide[0] = 1;
  run_threads(body);
  print_results();
  printf("%016" PRIx64 " %.6Lf %d %d\n", (uint64_t)wide[1], slow[1], (int)vectors[0][3], bytes[7]);
  return 0;
}
