/* rand, random, drand48, getrandom, getentropy, arc4random and /dev/urandom, from all threads. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index, bytes = 0;
  unsigned seed = (unsigned)index;
  int device = open("/dev/urandom", O_RDONLY);
  for (int i = 0, n = share_of(400); i < n; i++) {
    hash = mix(hash, (uint64_t)rand());
    hash = mix(hash, (uint64_t)random());
    hash = mix(hash, (uint64_t)rand_r(&seed));
    hash = mix(hash, (uint64_t)lrand48());
    if (i % 8 == 0) {
      if (getrandom(&bytes, sizeof bytes, 0) != sizeof bytes) abort();
      hash = mix(hash, bytes);
      if (getentropy(&bytes, sizeof bytes) != 0 || read(device, &bytes, sizeof bytes) != sizeof bytes) abort();
      hash = mix(hash, bytes);
      sched_yield();
    }
  }
  hash = mix(hash, arc4random());
  close(device);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  srand(7);
  run_threads(body);
  printf("next %d\n", rand());
  print_results();
  return 0;
}
