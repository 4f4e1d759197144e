/* iconv descriptors, locales of threads, gettext without a catalogue, nl_langinfo. */
#include <iconv.h>
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>

#include "support.h"

static volatile int progress;

static uint64_t body(int index) {
  uint64_t hash = 0;
  locale_t own = newlocale(LC_ALL_MASK, index % 2 ? "C.UTF-8" : "C", (locale_t)0);
  locale_t before = uselocale(own);
  for (int i = 0, n = share_of(80); i < n; i++) {
    iconv_t to = iconv_open(i % 2 ? "UTF-16LE" : "ISO-8859-1", "UTF-8");
    char in[] = "Gr\xc3\xbc\xc3\x9f" "e", out[64];
    char *from = in, *at = out;
    size_t left = strlen(in), room = sizeof out;
    iconv(to, &from, &left, &at, &room);
    for (char *c = out; c < at; c++) hash = mix(hash, (uint64_t)(unsigned char)*c);
    iconv_close(to);
    hash = mix(hash, (uint64_t)nl_langinfo_l(CODESET, own)[0]);
    hash = mix(hash, (uint64_t)gettext("some text")[5]);
    progress = progress + index + 1;
    hash = mix(hash, (uint64_t)progress);
    yield_every(i, 10);
  }
  uselocale(before);
  freelocale(own);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  struct lconv *how = localeconv();
  printf("%s %d\n", how->decimal_point, progress);
  return 0;
}
