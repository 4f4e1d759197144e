/* strto*, ato*, sscanf and snprintf on texts that other threads rewrite. */
#include <errno.h>
#include <math.h>

#include "support.h"

static char texts[8][32];
/* Only digits change, in place: strtod gives up the program when a number gets another shape while it reads. */
static char fractions[8][16] = {"1234.5678", "1234.5678", "1234.5678", "1234.5678",
                                "1234.5678", "1234.5678", "1234.5678", "1234.5678"};

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t state = (uint32_t)index + 11;
  for (int i = 0, n = share_of(800); i < n; i++) {
    char *text = texts[next_random(&state) % 8];
    uint32_t value = next_random(&state);
    switch (i % 4) {
      case 0: snprintf(text, 32, "%d.%03u", (int)value % 1000, value % 1000); break;
      case 1: snprintf(text, 32, "0x%x", value); break;
      case 2: snprintf(text, 32, "%u tail", value); break;
      default: snprintf(text, 32, "%e", value / 7.0); break;
    }
    char *end;
    errno = 0;
    hash = mix(hash, strtoul(text, &end, i % 2 ? 0 : 10));
    hash = mix(hash, (uint64_t)(end - text) + (uint64_t)errno);
    char *fraction = fractions[value % 8];
    fraction[value / 8 % 4] = (char)('1' + value / 32 % 9);
    hash = mix(hash, (uint64_t)strtod(fraction, &end));
    hash = mix(hash, (uint64_t)atoi(text) + (uint64_t)atoll(text));
    unsigned a = 0;
    char word[16] = "";
    hash = mix(hash, (uint64_t)sscanf(text, "%u%*[. ]%15s", &a, word) + a + (uint64_t)word[0]);
    yield_every(i, 40);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  for (int i = 0; i < 8; i++) puts(texts[i]);
  return 0;
}
