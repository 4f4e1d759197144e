/* Calendar functions: zones, gmtime and localtime with their common buffer, strftime, strptime, mktime, difftime. */
#define _GNU_SOURCE
#include <time.h>

#include "support.h"

static uint64_t body(int index) {
  uint64_t hash = 0;
  const char *const zones[] = {"UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT"};
  for (int i = 0, n = share_of(200); i < n; i++) {
    time_t now = time(NULL) + i * 86400;
    struct tm parts, parsed = {0};
    if (i % 16 == 0) {
      setenv("TZ", zones[(index + i) % 3], 1);
      tzset();
    }
    localtime_r(&now, &parts);
    hash = mix(hash, (uint64_t)parts.tm_hour + (uint64_t)parts.tm_isdst);
    char text[64];
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %j %a", &parts);
    strptime(text, "%Y-%m-%d %H:%M:%S", &parsed);
    parsed.tm_isdst = -1;
    hash = mix(hash, (uint64_t)mktime(&parsed));
    struct tm *common = gmtime(&now);  /* the buffer of all threads */
    hash = mix(hash, (uint64_t)common->tm_mday * 32 + (uint64_t)common->tm_hour);
    hash = mix(hash, (uint64_t)difftime(timegm(&parts), now));
    yield_every(i, 20);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  time_t now = time(NULL);
  printf("%s", ctime(&now));
  printf("clock %ld\n", (long)clock() % 7);
  return 0;
}
