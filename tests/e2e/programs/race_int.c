/* Lost updates of plain ints. */
#include "support.h"

int counter;
int cells[8];

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0, n = share_of(40000); i < n; i++) {
    counter++;
    cells[(i + index) & 7] += counter;
    hash = mix(hash, (uint64_t)cells[i & 7]);
    yield_every(i, 512);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("counter %d of %d\n", counter, threads * share_of(40000));
  for (int i = 0; i < 8; i++) printf("cell %d\n", cells[i]);
  print_results();
  return 0;
}
