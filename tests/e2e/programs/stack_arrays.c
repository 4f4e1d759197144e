/* Arrays of variable length, alloca, compound literals, flexible members, pointers into another thread's stack. */
#include <alloca.h>

#include "support.h"

struct Flexible {
  int count;
  int items[];
};
static pthread_barrier_t last_line;
static int *_Atomic lent[kMaxThreads];

static int use(int n, int *from) {
  int room[n];
  for (int i = 0; i < n; i++) room[i] = from[i % 4] + i;
  int *more = alloca((size_t)n * sizeof *more);
  memcpy(more, room, (size_t)n * sizeof *more);
  return more[n - 1] + more[n / 2];
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  int mine[4] = {index, 1, 2, 3};
  lent[index] = mine;
  for (int i = 0, n = share_of(600); i < n; i++) {
    int *theirs = lent[(index + i) % threads];
    if (theirs) {
      theirs[i % 4] += index + 1; /* on the stack of a thread that waits below */
      hash = mix(hash, (uint64_t)use(4 + i % 20, theirs));
    }
    struct Flexible *box = malloc(sizeof *box + 8 * sizeof(int));
    *box = (struct Flexible){.count = 8};
    for (int k = 0; k < box->count; k++) box->items[k] = mine[k % 4];
    hash = mix(hash, (uint64_t)box->items[7] + (uint64_t)(int[]){1, index, 3}[1]);
    free(box);
    yield_every(i, 40);
  }
  pthread_barrier_wait(&last_line);
  return mix(hash, (uint64_t)mine[2]);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_barrier_init(&last_line, NULL, (unsigned)threads);
  run_threads(body);
  print_results();
  return 0;
}
