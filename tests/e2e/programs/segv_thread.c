/* A null pointer that one thread publishes while others follow it: SIGSEGV, at a moment that varies. */
#include <unistd.h>

#include "support.h"

int cell;
int *volatile shared_pointer = &cell;
volatile int steps;

static uint64_t body(int index) {
  char line[64];
  for (int i = 0; i < 100000000; i++) {
    *shared_pointer += index;
    steps = steps + 1;
    if (steps > 20000 && index == 0) {
      int length = snprintf(line, sizeof line, "cell %d steps %d\n", cell, steps);
      if (write(1, line, (size_t)length) < 0) abort();
      shared_pointer = NULL;
    }
    yield_every(i, 256);
  }
  return 0;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  return 0;
}
