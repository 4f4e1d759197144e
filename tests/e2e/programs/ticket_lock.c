/* A ticket lock and a test-and-set lock, each guarding a list of who came. */
#include <stdatomic.h>

#include "support.h"

_Atomic unsigned next_ticket, now_serving;
atomic_flag gate = ATOMIC_FLAG_INIT;
unsigned char order[20000];
int entered;
uint64_t chain;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    unsigned ticket = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket) sched_yield();
    order[entered++ % 20000] = (unsigned char)index;
    atomic_store_explicit(&now_serving, ticket + 1, memory_order_release);
    hash = mix(hash, ticket);
    while (atomic_flag_test_and_set_explicit(&gate, memory_order_acquire)) sched_yield();
    chain = mix(chain, (uint64_t)index);
    atomic_flag_clear_explicit(&gate, memory_order_release);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  uint64_t hash = 0;
  for (int i = 0; i < entered; i++) hash = mix(hash, order[i]);
  printf("%d entered, order %016" PRIx64 ", chain %016" PRIx64 "\n", entered, hash, chain);
  print_results();
  return 0;
}
