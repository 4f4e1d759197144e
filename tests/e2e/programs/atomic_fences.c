/* Litmus tests: store buffering and message passing with and without fences; counts how often each outcome came. */
#include <stdatomic.h>

#include "support.h"

enum { kRounds = 3000 };
_Atomic int x[kRounds], y[kRounds];
int data[kRounds];
_Atomic int outcomes[8];
_Atomic int progress[kMaxThreads + 1];

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0; i < kRounds; i++) {
    atomic_store_explicit(&progress[index], i, memory_order_relaxed);
    for (int k = 0; k < 100 && atomic_load_explicit(&progress[index ^ 1], memory_order_relaxed) < i; k++) hash++;
    if (index % 2 == 0) {
      atomic_store_explicit(&x[i], 1, memory_order_relaxed);
      if (i & 1) atomic_thread_fence(memory_order_seq_cst);
      int seen = atomic_load_explicit(&y[i], memory_order_relaxed);
      data[i] = i;
      atomic_thread_fence(memory_order_release);
      atomic_store_explicit(&x[i], 2, memory_order_relaxed);
      hash = mix(hash, (uint64_t)seen);
      outcomes[seen & 7]++;
    } else {
      atomic_store_explicit(&y[i], 1, memory_order_relaxed);
      if (i & 1) atomic_thread_fence(memory_order_seq_cst);
      int seen = atomic_load_explicit(&x[i], memory_order_relaxed);
      atomic_signal_fence(memory_order_seq_cst);
      atomic_thread_fence(memory_order_acquire);
      hash = mix(hash, seen == 2 ? (uint64_t)data[i] : UINT64_C(77));
      outcomes[4 + (seen & 3)]++;
    }
    yield_every(i, 256);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < 8; i++) printf("outcome %d: %d\n", i, outcomes[i]);
  print_results();
  return 0;
}
