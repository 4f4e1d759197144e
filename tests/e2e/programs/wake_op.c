/* FUTEX_WAKE_OP, which changes one word and wakes those who wait at two; FUTEX_CMP_REQUEUE. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static atomic_uint turn, tickets;

static long futex(atomic_uint *word, int op, unsigned value, long more, atomic_uint *other, unsigned last) {
  return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, more, other, last);
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  struct timespec limit = {0, 1000000};
  for (int i = 0; i < share_of(400); i++) {
    unsigned seen = atomic_load(&tickets);
    if ((i + index) % 2) {
      long r = futex(&turn, FUTEX_WAKE_OP, 1, 1, &tickets, FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_GT, 3));
      hash = mix(mix(hash, (uint64_t)r), atomic_load(&tickets));
    } else {
      long r = futex(&tickets, FUTEX_WAIT, seen, (long)&limit, NULL, 0);
      hash = mix(mix(hash, (uint64_t)r), r ? (uint64_t)errno : 0);
    }
    if (i % 16 == 0) {
      long r = futex(&turn, FUTEX_CMP_REQUEUE, 1, 1, &tickets, atomic_load(&turn));
      hash = mix(hash, (uint64_t)r);
    }
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("%u tickets\n", atomic_load(&tickets));
  print_results();
  return 0;
}
