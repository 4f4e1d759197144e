/* A relaxation in place, without barriers: neighbours read whatever the others have written by then. */
#include "support.h"

enum { kSide = 96, kSweeps = 12 };
double grid[kSide][kSide];

static uint64_t body(int index) {
  double change = 0;
  for (int sweep = 0; sweep < kSweeps; sweep++) {
    for (int i = 1 + index; i < kSide - 1; i += threads)
      for (int j = 1; j < kSide - 1; j++) {
        double next = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
        change += next - grid[i][j];
        grid[i][j] = next;
      }
    sched_yield();
  }
  uint64_t bits;
  memcpy(&bits, &change, sizeof bits);
  return bits;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < kSide; i++) grid[i][0] = grid[0][i] = 100.0 + i;
  run_threads(body);
  for (int i = 0; i < kSide; i += 16) printf("%.17g\n", grid[i][i]);
  print_results();
  return 0;
}
