/* Which thread gets PTHREAD_BARRIER_SERIAL_THREAD, and who came last, over many rounds. */
#include <stdatomic.h>

#include "support.h"

enum { kRounds = 120 };
pthread_barrier_t barrier;
int serial_of[kRounds];
int last_in[kRounds];

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int round = 0; round < kRounds; round++) {
    for (volatile int k = 0; k < (index * 37 + round * 11) % 300; k++) {}
    last_in[round] = index;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) serial_of[round] = index;
    hash = mix(hash, (uint64_t)last_in[round]);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  run_threads(body);
  pthread_barrier_destroy(&barrier);
  for (int i = 0; i < kRounds; i++) printf("%d/%d ", serial_of[i], last_in[i]);
  printf("\n");
  print_results();
  return 0;
}
