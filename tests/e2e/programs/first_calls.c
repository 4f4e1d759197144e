/* The first calls of many library functions, by all threads at once, on a text that others rewrite: what has to be looked
 * up then must not be a place where a thread waits. */
#include <wchar.h>

#include "support.h"

enum { kPhases = 8 };

static char text[64];
static wchar_t wide[64];
static pthread_barrier_t phase_line;

static uint64_t scan(int phase) {
  unsigned a = 0, b = 0;
  char word[64] = "";
  switch (phase) {
    case 0: return (uint64_t)sscanf(text, "%u %u", &a, &b) + a * 31u + b;
    case 1: return strtoul(text, NULL, 10) + (uint64_t)atoi(text);
    case 2: return (uint64_t)snprintf(word, sizeof word, "%s|", text) + (unsigned char)word[0];
    case 3: return (uint64_t)wcstol(wide, NULL, 10) + (uint64_t)wcsspn(wide, L"0123");
    case 4: return wcstoul(wide, NULL, 10) + wcslen(wide);
    case 5: return (uint64_t)wcscmp(wide, L"5") + (uint64_t)(wcschr(wide, L'7') != NULL);
    case 6: return (uint64_t)strcmp(text, "5") + (uint64_t)strcspn(text, "5");
    default: return (uint64_t)wcscspn(wide, L"5") + (uint64_t)strspn(text, "0123");
  }
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t state = (uint32_t)index * 7 + 1;
  for (int phase = 0; phase < kPhases; phase++) {
    pthread_barrier_wait(&phase_line);
    for (int i = 0; i < 4; i++) {
      hash = mix(hash, scan((phase + index % 2) % kPhases));
      uint32_t value = next_random(&state);
      for (int k = 0; k < 20; k++) text[k] = (char)('0' + (value >> k) % 9);
      for (int k = 0; k < 20; k++) wide[k] = L'0' + (wchar_t)((value >> k) % 9);
      text[10] = ' ';
      wide[10] = L' ';
    }
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_barrier_init(&phase_line, NULL, (unsigned)threads);
  run_threads(body);
  print_results();
  return 0;
}
