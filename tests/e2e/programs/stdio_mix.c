/* stdout and stderr from many threads through every common entry of stdio. */
#include "support.h"

static uint64_t body(int index) {
  uint64_t printed = 0;
  for (int i = 0, n = share_of(600); i < n; i++) {
    switch (i % 7) {
      case 0: printed += (uint64_t)printf("printf %d %d %5.2f %s\n", index, i, i / 3.0, "text"); break;
      case 1: fputs("fputs\n", stdout); break;
      case 2: puts("puts"); break;
      case 3: putchar('a' + index % 26); putchar('\n'); break;
      case 4: fputc('+', stdout); fwrite("fwrite\n", 1, 7, stdout); break;
      case 5: flockfile(stdout); putc_unlocked('<', stdout); putc_unlocked('>', stdout); funlockfile(stdout); break;
      default: fprintf(stderr, "stderr %d\n", index); break;
    }
    if (i % 32 == 0) fflush(stdout);
  }
  return printed;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
