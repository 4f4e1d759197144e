/* The str* and mem* functions on a few buffers that all threads read and write without locks. */
#define _GNU_SOURCE
#include <strings.h>
#include <unistd.h>

#include "support.h"

static char buffers[6][96];

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t state = (uint32_t)index * 31 + 5;
  for (int i = 0, n = share_of(1500); i < n; i++) {
    char *a = buffers[next_random(&state) % 6], *b = buffers[next_random(&state) % 6];
    char own[96];
    switch (next_random(&state) % 14) {
      case 0: stpncpy(a, "stpncpy of a text", 40); break;
      case 1: memccpy(own, b, 'x', 90); break;
      case 2: hash = mix(hash, (uint64_t)(strcasestr(b, "TEXT") != NULL)); break;
      case 3: hash = mix(hash, strspn(b, "abcdefgh") + strcspn(b, "xyz")); break;
      case 4: a[90] = 0; hash = mix(hash, (uint64_t)(strpbrk(a, " -") != NULL)); break;
      case 5: memmove(a + 1, a, 60); a[61] = 0; break;
      case 6: memset(a + index % 32, 'a' + i % 26, 8); break;
      case 7: hash = mix(hash, (uint64_t)strncasecmp(a, b, 20)); break;
      case 8: hash = mix(hash, (uint64_t)(memmem(b, 90, "of", 2) != NULL)); break;
      case 9: hash = mix(hash, (uint64_t)(memrchr(b, 'f', 90) != NULL)); break;
      case 10: snprintf(a, 64, "line %d of thread %d", i, index); break;
      case 11: swab(b, own, 32); hash = mix(hash, (uint64_t)own[3]); break;
      case 12: {
        char *copy = strndup(b, 30), *rest = copy, *word;
        while ((word = strsep(&rest, " -"))) hash = mix(hash, strlen(word));
        free(copy);
        break;
      }
      default: hash = mix(hash, strnlen(b, 95) + (uint64_t)memcmp(a, b, 16) % 2); break;
    }
    yield_every(i, 50);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < 6; i++) snprintf(buffers[i], sizeof buffers[i], "start of text-%d", i);
  run_threads(body);
  print_results();
  for (int i = 0; i < 6; i++) printf("%.80s\n", buffers[i]);
  return 0;
}
