/* String functions on shared buffers, as -D_FORTIFY_SOURCE makes them; sources are bounded, so that they never overflow. */
#include "support.h"

char text[64] = "start";
char name[4][64];

static uint64_t body(int index) {
  static const char *const kWords[] = {"alpha", "beta", "gamma-delta", "epsilon", "z"};
  uint64_t hash = 0;
  for (int i = 0, n = share_of(20000); i < n; i++) {
    const char *word = kWords[(i + index) % 5];
    char *cell = name[i & 3];
    char mine[64];
    strcpy(text, word);
    strncpy(cell, text, 20);
    cell[20] = 0;
    strncpy(mine, name[(i + 1) & 3], sizeof mine - 1);
    mine[20] = 0;
    strcat(mine, word);
    strncat(mine, text, 20);
    char *end = stpcpy(mine + strlen(mine), "!");
    hash = mix(hash, (uint64_t)(end - mine) * 256 + (unsigned char)mine[(i + 3) % 16]);
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("%.63s\n", text);
  for (int i = 0; i < 4; i++) printf("%.20s\n", name[i]);
  print_results();
  return 0;
}
