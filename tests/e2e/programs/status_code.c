/* The exit status itself is the result of a race. */
#include "support.h"

int votes[4];

static uint64_t body(int index) {
  for (int i = 0, n = share_of(20000); i < n; i++) {
    votes[i & 3]++;
    votes[(i + index) & 3] ^= votes[(i + 1) & 3];
    yield_every(i, 100);
  }
  return (uint64_t)votes[index & 3];
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 1 + (votes[0] + votes[1]) % 100;
}
