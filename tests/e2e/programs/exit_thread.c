/* exit(3) from a thread, while the others run and print. Exit status 7. */
#include <stdatomic.h>

#include "support.h"

_Atomic int steps;
int plain;

static void at_exit(void) { printf("at exit: steps %d\n", atomic_load(&steps) / 1000); }

static uint64_t body(int index) {
  for (int i = 0; i < 2000000; i++) {
    plain += index;
    if (atomic_fetch_add(&steps, 1) == 3000) {
      printf("thread %d leaves, plain %d\n", index, plain);
      exit(7);
    }
    if (i % 500 == 0) printf("thread %d at %d\n", index, i);
    yield_every(i, 64);
  }
  return 0;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  atexit(at_exit);
  run_threads(body);
  return 0;
}
