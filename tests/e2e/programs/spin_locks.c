/* pthread_spin_lock and trylock. */
#include "support.h"

pthread_spinlock_t spin;
uint64_t chain;

static uint64_t body(int index) {
  uint64_t failed = 0, hash = 0;
  for (int i = 0, n = share_of(8000); i < n; i++) {
    if (i & 1) {
      pthread_spin_lock(&spin);
    } else {
      while (pthread_spin_trylock(&spin) != 0) {
        failed++;
        sched_yield();
      }
    }
    chain = mix(chain, (uint64_t)index);
    hash ^= chain;
    pthread_spin_unlock(&spin);
    yield_every(i, 64);
  }
  return mix(hash, failed);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  run_threads(body);
  pthread_spin_destroy(&spin);
  printf("chain %016" PRIx64 "\n", chain);
  print_results();
  return 0;
}
