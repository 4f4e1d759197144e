/* Wide characters and multi-byte conversion, each thread with texts of its own and one that is shared under a lock. */
#define _GNU_SOURCE
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

#include "support.h"

static wchar_t shared[128];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(300); i < n; i++) {
    wchar_t own[64];
    char bytes[128];
    swprintf(own, 64, L"%d\x00e4\x20ac%ls%d", index, i % 2 ? L"odd" : L"even", i);
    size_t length = wcstombs(bytes, own, sizeof bytes);
    hash = mix(hash, (uint64_t)length);
    mbstate_t state = {0};
    const char *from = bytes;
    wchar_t back[64];
    hash = mix(hash, (uint64_t)mbsrtowcs(back, &from, 64, &state) + (uint64_t)(wcscmp(back, own) == 0));
    pthread_mutex_lock(&lock);
    if (wcslen(shared) > 100) shared[0] = 0;
    wcscat(shared, towupper((wint_t)own[0]) > 0x40 ? L"x" : L"y");
    shared[wcslen(shared) - 1] += (wchar_t)index;
    hash = mix(hash, wcslen(shared) + (uint64_t)(wcschr(shared, L'z') != NULL));
    pthread_mutex_unlock(&lock);
    hash = mix(hash, (uint64_t)wcstol(own, NULL, 10) + (uint64_t)iswalpha((wint_t)own[1]));
    yield_every(i, 20);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  printf("%s\n", setlocale(LC_ALL, "C.UTF-8"));
  run_threads(body);
  print_results();
  printf("%ls\n", shared);
  return 0;
}
