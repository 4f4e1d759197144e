/* _exit while the others run; what stdio held is lost. Exit status 9. */
#include <unistd.h>

#include "support.h"

int plain[8];

static uint64_t body(int index) {
  char line[80];
  for (int i = 0; i < 2000000; i++) {
    plain[i & 7] += index + plain[(i + 1) & 7];
    if (i == 4000 + index) {
      int length = snprintf(line, sizeof line, "thread %d leaves at %d with %d\n", index, i, plain[0]);
      if (write(1, line, (size_t)length) < 0) abort();
      _exit(9);
    }
    yield_every(i, 64);
  }
  return 0;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  printf("this line never comes out\n");
  run_threads(body);
  return 0;
}
