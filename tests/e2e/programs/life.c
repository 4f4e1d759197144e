/* The game of life, first with barriers (the same every time), then in place and without them (never the same). */
#include "support.h"

enum { kRows = 64, kColumns = 128, kGenerations = 20 };
unsigned char world[2][kRows][kColumns];
pthread_barrier_t generation_line;
int use_barrier = 1;

static int neighbours(int from, int i, int j) {
  int sum = 0;
  for (int di = -1; di <= 1; di++)
    for (int dj = -1; dj <= 1; dj++)
      if (di || dj) sum += world[from][(i + di + kRows) % kRows][(j + dj + kColumns) % kColumns];
  return sum;
}

static uint64_t body(int index) {
  uint64_t born = 0;
  for (int g = 0; g < kGenerations; g++) {
    for (int i = index; i < kRows; i += threads)
      for (int j = 0; j < kColumns; j++) {
        int from = use_barrier ? g & 1 : 0, to = use_barrier ? 1 - from : 0;
        int n = neighbours(from, i, j);
        world[to][i][j] = n == 3 || (n == 2 && world[from][i][j]);
        born += n == 3;
      }
    if (use_barrier) pthread_barrier_wait(&generation_line); else sched_yield();
  }
  return born;
}

static void play(const char *name) {
  memset(world, 0, sizeof world);
  uint32_t random = 4242;
  for (int i = 0; i < kRows; i++)
    for (int j = 0; j < kColumns; j++) world[0][i][j] = next_random(&random) % 3 == 0;
  run_threads(body);
  uint64_t hash = 0;
  for (int i = 0; i < kRows; i++)
    for (int j = 0; j < kColumns; j++) hash = mix(hash, world[0][i][j]);
  printf("%s: %016" PRIx64 "\n", name, hash);
  print_results();
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_barrier_init(&generation_line, NULL, (unsigned)threads);
  play("with barriers");
  use_barrier = 0;
  play("in place");
  return 0;
}
