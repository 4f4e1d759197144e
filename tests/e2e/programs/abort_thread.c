/* abort() as soon as a race is seen, or at the end: always SIGABRT, with different words. */
#include "support.h"

long first, second;

static uint64_t body(int index) {
  for (int i = 0; i < 20000; i++) {
    first++;
    if (i % 64 == 0) sched_yield();
    long gap = first - second++;
    if (gap > 40 || gap < -40 || i == 19999) {
      fprintf(stderr, "thread %d: gap %ld at %d\n", index, gap, i);
      abort();
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  return 0;
}
