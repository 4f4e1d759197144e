/* Floating point sums without a lock: the result depends on who came when. */
#include "support.h"

double total, parts[16];
float small_total;
long double wide_total;

static uint64_t body(int index) {
  double mine = 0;
  for (int i = 0, n = share_of(30000); i < n; i++) {
    total += 1.0 / (i + index + 1);
    small_total += 0.25f;
    wide_total = wide_total * 0.5L + index;
    parts[i & 15] = total - parts[(i + 1) & 15] * 0.25;
    mine += parts[(i + index) & 15];
    yield_every(i, 256);
  }
  uint64_t bits;
  memcpy(&bits, &mine, sizeof bits);
  return bits;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("%.17g %.9g %.21Lg\n", total, small_total, wide_total);
  for (int i = 0; i < 16; i++) printf("%.17g\n", parts[i]);
  print_results();
  return 0;
}
