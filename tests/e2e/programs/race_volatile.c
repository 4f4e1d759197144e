/* volatile variables as flags and counters: bounded spinning on a plain word. */
#include "support.h"

volatile int turn;
volatile uint8_t bytes[16];
volatile uint16_t halves[8];
volatile uint64_t words[4];

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(20000); i < n; i++) {
    int spins = 0;
    while (turn % threads != index && spins < 40) spins++;
    turn = turn + 1;
    bytes[i & 15] += 1;
    halves[(i + index) & 7] ^= bytes[i & 7];
    words[i & 3] += halves[i & 7];
    hash = mix(hash, words[(i + 1) & 3] + (uint64_t)spins);
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("turn %d words %" PRIu64 " %" PRIu64 "\n", turn, words[0], words[3]);
  print_results();
  return 0;
}
