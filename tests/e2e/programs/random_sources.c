/* Randomness from everywhere: getrandom, getentropy, /dev/urandom, arc4random where it is, AT_RANDOM. */
#define _GNU_SOURCE
#include <sys/auxv.h>
#include <sys/random.h>

#include "inputs.h"

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  unsigned char bytes[300];
  for (int i = 0; i < 10; i++) {
    hash = mix_bytes(hash, bytes, getrandom(bytes, sizeof bytes, i % 2 ? GRND_NONBLOCK : 0));
    hash = mix_result(hash, getentropy(bytes, 100));
    hash = mix_bytes(hash, bytes, 100);
    int fd = open(i % 2 ? "/dev/urandom" : "/proc/sys/kernel/random/uuid", O_RDONLY);
    hash = mix_bytes(hash, bytes, read(fd, bytes, 40));
    close(fd);
#if __GLIBC_PREREQ(2, 36)
    hash = mix(hash, arc4random_uniform(1000));
#endif
  }
  hash = mix_result(hash, getentropy(bytes, 300));
  return mix_bytes(hash, (void *)getauxval(AT_RANDOM), 16);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
