/* Threads that let others run until a word changes: for a turn, which goes round, and for all to have met. Work between takes
 * from next to nothing to much longer than falling asleep. */
#include "support.h"

static volatile int turn, met;
static uint64_t board[512];

static uint64_t work(uint64_t hash, int steps) {
  for (int i = 0; i < steps; i++) board[i % 512] = hash = mix(hash, board[i % 512]);
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = 0, waited = 0;
  int rounds = share_of(120);
  for (int round = 0; round < rounds; round++) {
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) % threads != index) {
      waited++;
      sched_yield();
    }
    hash = work(hash, 20 << (round + index) % 16);
    __atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
    if (round % 8) continue;
    __atomic_fetch_add(&met, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&met, __ATOMIC_ACQUIRE) < (round / 8 + 1) * threads) {
      waited++;
      sched_yield();
    }
  }
  return mix(hash, waited);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
