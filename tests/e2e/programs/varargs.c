/* Variadic functions, function pointers in shared tables, and printf's own machinery. */
#include <stdarg.h>

#include "support.h"

typedef long (*Operation)(long, long);

static long add(long a, long b) { return a + b; }
static long multiply(long a, long b) { return a * b; }
static long exclusive(long a, long b) { return a ^ b; }

Operation operations[3] = {add, multiply, exclusive};
long accumulator = 1;
char shared_line[128];

static long sum_of(int count, ...) {
  va_list list;
  long sum = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++) sum += va_arg(list, long);
  va_end(list);
  return sum;
}

static int format(const char *pattern, ...) {
  va_list list;
  va_start(list, pattern);
  int length = vsnprintf(shared_line, sizeof shared_line, pattern, list);
  va_end(list);
  return length;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(12000); i < n; i++) {
    Operation swap = operations[i % 3];
    operations[i % 3] = operations[(i + 1) % 3];
    operations[(i + 1) % 3] = swap;
    accumulator = operations[(i + index) % 3](accumulator, sum_of(3, (long)i, (long)index, accumulator));
    hash = mix(hash, (uint64_t)accumulator);
    if (i % 8 == 0) hash = mix(hash, (uint64_t)format("%d %ld %s", index, accumulator, "text"));
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("%ld %s\n", accumulator, shared_line);
  print_results();
  return 0;
}
