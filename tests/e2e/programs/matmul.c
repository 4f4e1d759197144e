/* Matrix product; rows are taken from a shared counter, and who took which is printed. */
#include <stdatomic.h>

#include "support.h"

enum { kSide = 96 };
float left[kSide][kSide], right[kSide][kSide], product[kSide][kSide];
_Atomic int next_row;
unsigned char owner[kSide];

static uint64_t body(int index) {
  uint64_t rows = 0;
  for (int i; (i = atomic_fetch_add(&next_row, 1)) < kSide;) {
    owner[i] = (unsigned char)index;
    rows++;
    for (int j = 0; j < kSide; j++) {
      float sum = 0;
      for (int k = 0; k < kSide; k++) sum += left[i][k] * right[k][j];
      product[i][j] = sum;
    }
  }
  return rows;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < kSide; i++)
    for (int j = 0; j < kSide; j++) left[i][j] = (float)(i - j), right[i][j] = (float)(i * j % 13);
  run_threads(body);
  double trace = 0;
  for (int i = 0; i < kSide; i++) trace += product[i][i];
  printf("trace %.9g\n", trace);
  for (int i = 0; i < kSide; i++) printf("%d ", owner[i]);
  printf("\n");
  print_results();
  return 0;
}
