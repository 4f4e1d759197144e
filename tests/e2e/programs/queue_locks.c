/* MCS and CLH locks: queues of waiting threads, each spinning on a word of its own. */
#include <stdatomic.h>
#include <stdbool.h>

#include "support.h"

struct Node {
  struct Node *_Atomic next;
  atomic_bool waits;
};
static struct Node *_Atomic mcs_tail;
static struct Node *_Atomic clh_tail;
static struct Node clh_first;
static uint64_t by_mcs, by_clh;

static void spin(int *n) {
  if (++*n % 64 == 0) sched_yield();
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  struct Node mine;
  struct Node *own = calloc(1, sizeof *own);
  for (int i = 0, n = share_of(800); i < n; i++) {
    int spins = 0;
    atomic_store(&mine.next, NULL);
    atomic_store(&mine.waits, true);
    struct Node *before = atomic_exchange(&mcs_tail, &mine);
    if (before) {
      atomic_store(&before->next, &mine);
      while (atomic_load(&mine.waits)) spin(&spins);
    }
    by_mcs = mix(by_mcs, (uint64_t)index);
    hash = mix(hash, by_mcs);
    struct Node *expected = &mine;
    if (!atomic_compare_exchange_strong(&mcs_tail, &expected, NULL)) {
      struct Node *next;
      while (!(next = atomic_load(&mine.next))) spin(&spins);
      atomic_store(&next->waits, false);
    }
    atomic_store(&own->waits, true);
    struct Node *previous = atomic_exchange(&clh_tail, own);
    while (atomic_load(&previous->waits)) spin(&spins);
    by_clh = mix(by_clh, (uint64_t)index);
    hash = mix(hash, by_clh);
    atomic_store(&own->waits, false);
    own = previous;
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  atomic_store(&clh_tail, &clh_first);
  run_threads(body);
  print_results();
  return 0;
}
