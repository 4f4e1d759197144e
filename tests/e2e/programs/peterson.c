/* Peterson's and Dekker's algorithms between pairs of neighbouring threads. */
#include <stdatomic.h>

#include "support.h"

struct Pair {
  _Atomic int wants[2];
  _Atomic int turn;
  long inside;
} pairs[kMaxThreads];

static void enter_peterson(struct Pair *pair, int me) {
  atomic_store(&pair->wants[me], 1);
  atomic_store(&pair->turn, 1 - me);
  while (atomic_load(&pair->wants[1 - me]) && atomic_load(&pair->turn) == 1 - me) sched_yield();
}

static void enter_dekker(struct Pair *pair, int me) {
  atomic_store(&pair->wants[me], 1);
  while (atomic_load(&pair->wants[1 - me])) {
    if (atomic_load(&pair->turn) != me) {
      atomic_store(&pair->wants[me], 0);
      while (atomic_load(&pair->turn) != me) sched_yield();
      atomic_store(&pair->wants[me], 1);
    }
  }
}

static uint64_t body(int index) {
  struct Pair *pair = &pairs[index / 2];
  int me = index & 1, dekker = (index / 2) & 1;
  uint64_t hash = 0;
  for (int i = 0, n = share_of(4000); i < n; i++) {
    if (dekker) enter_dekker(pair, me); else enter_peterson(pair, me);
    hash = mix(hash, (uint64_t)(pair->inside = pair->inside * 3 + me));
    if (dekker) atomic_store(&pair->turn, 1 - me);
    atomic_store(&pair->wants[me], 0);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < kMaxThreads; i++) pairs[i].turn = 0;
  run_threads(body);
  for (int i = 0; i < (threads + 1) / 2; i++) printf("pair %d: %lx\n", i, (unsigned long)pairs[i].inside);
  print_results();
  return 0;
}
