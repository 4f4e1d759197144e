/* An assertion that some thread violates sooner or later; its message names the value. */
#undef NDEBUG
#include <assert.h>

#include "support.h"

int balance_left = 1000, balance_right = 1000;
volatile int rounds;

static uint64_t body(int index) {
  for (int i = 0; i < 5000000; i++) {
    int amount = (i + index) % 7;
    balance_left -= amount;
    if (i % 32 == 0) sched_yield();
    balance_right += amount;
    rounds = rounds + 1;
    if (i % 1024 == 0) printf("round %d left %d\n", rounds, balance_left);
    assert(rounds < 50000 && "the money ran out");
  }
  return 0;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  return 0;
}
