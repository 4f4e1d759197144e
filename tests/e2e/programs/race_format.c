/* The printf family with strings that other threads change meanwhile, to small buffers that are flushed in between. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <unistd.h>

#include "support.h"

static char shared[4][24];
static char line[160];

static int format(char *to, size_t size, const char *form, ...) {
  va_list list;
  va_start(list, form);
  int length = vsnprintf(to, size, form, list);
  va_end(list);
  return length;
}

static uint64_t body(int index) {
  uint64_t seen = 0;
  for (int i = 0, n = share_of(600); i < n; i++) {
    char *mine = shared[(i + index) & 3];
    for (int k = 0; k < (i * 7 + index) % 20; k++) mine[k] = (char)('a' + (i + k + index) % 26);
    mine[(i * 7 + index) % 20] = 0;
    printf("%-8s|%.3s|%*d|%ld|%.2f|%c|%Lg|%%|%s|%p\n", shared[0], shared[1], 4, i, (long)index, i * 0.25, 'x',
           (long double)i, shared[2], (void *)mine);
    seen = mix(seen, (uint64_t)format(line, sizeof line, "%s/%.*s/%zu/%s", shared[3], i % 9, shared[2], sizeof line, line + 80));
    sprintf(line + 80, "%hhd %.7s %llx", (signed char)i, shared[1], (unsigned long long)i);
    char *text = NULL;
    if (asprintf(&text, "%s-%s", shared[i & 3], line) >= 0) seen = mix(seen, strlen(text) + (uint64_t)text[0]);
    free(text);
    if (i % 50 == 0) dprintf(STDERR_FILENO, "%d %s\n", index, shared[3]);
    yield_every(i, 16);
  }
  return seen;
}

int main(int argc, char **argv) {
  static char buffer[64];
  parse_threads(argc, argv);
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  run_threads(body);
  print_results();
  printf("%s\n%s\n", line, line + 80);
  return 0;
}
