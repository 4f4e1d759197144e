/* String functions on shared buffers; bounded, so that a race cannot run past the end. */
#include "support.h"

char text[64] = "start";
char names[4][32];

static uint64_t body(int index) {
  static const char *const kWords[] = {"alpha", "beta", "gamma-delta", "epsilon", "z"};
  uint64_t hash = 0;
  for (int i = 0, n = share_of(20000); i < n; i++) {
    strncpy(text, kWords[(i + index) % 5], sizeof text - 1);
    size_t length = strnlen(text, sizeof text);
    strncpy(names[i & 3], text, sizeof names[0] - 1);
    const char *found = (const char *)memchr(names[(i + 1) & 3], 'a', sizeof names[0]);
    int order = strncmp(names[0], names[1], sizeof names[0]);
    hash = mix(hash, length * 100 + (found ? (uint64_t)(found - names[(i + 1) & 3]) : 99));
    hash = mix(hash, (uint64_t)(order < 0 ? 1 : order > 0 ? 2 : 0));
    snprintf(names[3], sizeof names[3], "%d/%.8s", index, names[2]);
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("%.63s\n", text);
  for (int i = 0; i < 4; i++) printf("%.31s\n", names[i]);
  print_results();
  return 0;
}
