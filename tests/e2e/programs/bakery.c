/* Locks without instructions for it: Lamport's bakery for all threads, with fences; Dekker's for pairs. */
#include <stdatomic.h>

#include "support.h"

static volatile int choosing[kMaxThreads], number[kMaxThreads];
static volatile int wants[2], favoured;
static long guarded, pairwise;

static void bakery_lock(int me) {
  choosing[me] = 1;
  atomic_thread_fence(memory_order_seq_cst);
  int most = 0;
  for (int i = 0; i < threads; i++)
    if (number[i] > most) most = number[i];
  number[me] = most + 1;
  choosing[me] = 0;
  atomic_thread_fence(memory_order_seq_cst);
  for (int i = 0; i < threads; i++) {
    while (choosing[i]) sched_yield();
    while (number[i] && (number[i] < number[me] || (number[i] == number[me] && i < me))) sched_yield();
  }
  atomic_thread_fence(memory_order_seq_cst);
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(300); i < n; i++) {
    bakery_lock(index);
    guarded = guarded * 3 + index;
    hash = mix(hash, (uint64_t)guarded);
    atomic_thread_fence(memory_order_seq_cst);
    number[index] = 0;
    if (index > 1) continue;
    wants[index] = 1;
    atomic_thread_fence(memory_order_seq_cst);
    while (wants[1 - index]) {
      if (favoured == index) continue;
      wants[index] = 0;
      while (favoured != index && wants[1 - index]) sched_yield();
      wants[index] = 1;
      atomic_thread_fence(memory_order_seq_cst);
    }
    hash = mix(hash, (uint64_t)++pairwise);
    favoured = 1 - index;
    atomic_thread_fence(memory_order_seq_cst);
    wants[index] = 0;
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  printf("%ld %ld\n", guarded, pairwise);
  return 0;
}
