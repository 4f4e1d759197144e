/* A mutex made from futex(2) itself, by syscall(2). */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support.h"

_Atomic int word; /* 0 free, 1 taken, 2 taken and somebody waits */
uint64_t chain;
long sleeps;

static void take(void) {
  int seen = 0;
  if (atomic_compare_exchange_strong(&word, &seen, 1)) return;
  if (seen != 2) seen = atomic_exchange(&word, 2);
  while (seen != 0) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    seen = atomic_exchange(&word, 2);
  }
}

static void give(void) {
  if (atomic_fetch_sub(&word, 1) != 1) {
    atomic_store(&word, 0);
    sleeps++;
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    take();
    hash = mix(hash, chain = mix(chain, (uint64_t)index));
    if (i % 8 == 0) sched_yield();
    give();
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("chain %016" PRIx64 " sleeps seen %d\n", chain, sleeps > 0);
  print_results();
  return 0;
}
