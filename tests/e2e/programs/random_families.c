/* Generators of random numbers with a state that all threads share: random, drand48, rand_r, their _r forms. */
#define _GNU_SOURCE
#include "support.h"

static char state_space[128];

static uint64_t body(int index) {
  uint64_t hash = 0;
  unsigned own = (unsigned)index;
  struct drand48_data data;
  struct random_data generator = {0};
  char room[64];
  srand48_r(index + 3, &data);
  initstate_r((unsigned)index + 1, room, sizeof room, &generator);
  for (int i = 0, n = share_of(2000); i < n; i++) {
    hash = mix(hash, (uint64_t)random() + (uint64_t)rand());
    hash = mix(hash, (uint64_t)lrand48() + (uint64_t)(drand48() * 1000) + (uint64_t)mrand48());
    long a;
    int32_t b;
    lrand48_r(&data, &a);
    random_r(&generator, &b);
    hash = mix(hash, (uint64_t)a + (uint64_t)b + (uint64_t)rand_r(&own));
    if (i % 500 == 499) srandom((unsigned)hash), srand48((long)hash);
    yield_every(i, 100);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  initstate(42, state_space, sizeof state_space);
  run_threads(body);
  print_results();
  printf("%ld %u\n", random(), arc4random() % 10 < 10);
  return 0;
}
