/* Time zones, calendars, locales, conversions of character sets, messages of errors. */
#define _GNU_SOURCE
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <monetary.h>
#include <wchar.h>

#include "inputs.h"

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  char text[200];
  for (int i = 0; i < 10; i++) {
    time_t t = (time_t)(now() % 2000000000);
    struct tm parts, back = {0};
    localtime_r(&t, &parts);
    strftime(text, sizeof text, "%c %Z %j %V", &parts);
    hash = mix_text(hash, text);
    gmtime_r(&t, &parts);
    strftime(text, sizeof text, "%F %T", &parts);
    strptime(text, "%Y-%m-%d %H:%M:%S", &back);
    hash = mix(mix_text(hash, asctime_r(&parts, text)), (uint64_t)(timegm(&back) - t));
    hash = mix(hash, (uint64_t)mktime(&parts));
  }
  hash = mix_text(hash, nl_langinfo(CODESET));
  hash = mix_text(hash, localeconv()->decimal_point);
  iconv_t converter = iconv_open("UTF-16LE", "UTF-8");
  char from[64], to[200], *in = from, *out = to;
  snprintf(from, sizeof from, "\xc3\xa4 %" PRIu64, now());
  size_t left = strlen(from), room = sizeof to;
  hash = mix_result(hash, (long)iconv(converter, &in, &left, &out, &room));
  hash = mix_bytes(hash, to, (ssize_t)(sizeof to - room));
  iconv_close(converter);
  wchar_t wide[64];
  swprintf(wide, 64, L"%d %ls", (int)(now() % 100), L"wide");
  hash = mix_bytes(hash, wide, (ssize_t)(wcslen(wide) * sizeof *wide));
  errno = (int)(now() % 100);
  return mix_text(hash, strerror_r(errno, text, sizeof text));
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  setenv("TZ", "Europe/Berlin", 1);
  setlocale(LC_ALL, "C.UTF-8");
  run_threads(body);
  print_results();
  return 0;
}
