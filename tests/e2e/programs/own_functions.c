/* Functions of the program's own whose names the C library uses as well, outside of ISO C. */
#include "support.h"

static int warnings;
static long total;

void warn(const char *format, ...) {
  (void)format;
  warnings++;
}
void warnx(int times) { warnings += times; }
int error(int a, int b) { return a * 10 + b; }
void srandom(unsigned seed) { total += seed; }
long random(void) { return total++; }

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(20000); i < n; i++) {
    warn("nothing is printed %d", i);
    warnx(2);
    srandom(index);
    hash = mix(hash, (uint64_t)random() + (uint64_t)error(i & 7, index) + (uint64_t)warnings);
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("%d warnings, total %ld\n", warnings, total);
  print_results();
  return 0;
}
