/* A sequence lock: readers retry; how often they do is printed. */
#include <stdatomic.h>

#include "support.h"

_Atomic unsigned sequence;
_Atomic uint64_t fields[4];
pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

static uint64_t read_consistent(unsigned *retries) {
  for (;;) {
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) sum = mix(sum, atomic_load_explicit(&fields[i], memory_order_relaxed));
    atomic_thread_fence(memory_order_acquire);
    if (!(before & 1) && atomic_load_explicit(&sequence, memory_order_relaxed) == before) return sum;
    ++*retries;
    sched_yield();
  }
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  unsigned retries = 0;
  for (int i = 0, n = share_of(8000); i < n; i++) {
    if ((i + index) % 4 == 0) {
      pthread_mutex_lock(&writers);
      atomic_fetch_add_explicit(&sequence, 1, memory_order_acq_rel);
      for (int k = 0; k < 4; k++)
        atomic_store_explicit(&fields[k], (uint64_t)(i * 4 + k + index), memory_order_relaxed);
      atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
      pthread_mutex_unlock(&writers);
    } else {
      hash = mix(hash, read_consistent(&retries));
    }
  }
  return mix(hash, retries);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("sequence %u last %" PRIu64 "\n", (unsigned)sequence, (uint64_t)fields[3]);
  print_results();
  return 0;
}
