// Nothing but one plain variable, raced on: the checksum differs from run to run.
#include "bench.h"

volatile long counter;

static void body(int index) {
  bench::Part mine = bench::part(index, bench::scaled(200000000));
  for (int i = mine.first; i < mine.last; i++) counter = counter + (i & 3);
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  bench::run(body);
  printf("checksum %ld\n", counter);
}
