/* Every way to ask for the time, by every thread. */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <x86intrin.h>

#include "support.h"

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < 20; i++) {
    struct timespec now;
    struct timeval day;
    unsigned aux;
    clock_gettime(CLOCK_REALTIME, &now);
    hash = mix(hash, (uint64_t)now.tv_nsec);
    clock_gettime(CLOCK_MONOTONIC, &now);
    hash = mix(hash, (uint64_t)now.tv_nsec);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    hash = mix(hash, (uint64_t)now.tv_nsec);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    hash = mix(hash, (uint64_t)now.tv_nsec);
    gettimeofday(&day, NULL);
    hash = mix(hash, (uint64_t)day.tv_usec);
    hash = mix(hash, (uint64_t)time(NULL));
    hash = mix(hash, (uint64_t)clock());
    hash = mix(hash, __rdtsc());
    hash = mix(hash, __rdtscp(&aux));
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  struct timespec now, resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  timespec_get(&now, TIME_UTC);
  char text[64];
  struct tm parts;
  strftime(text, sizeof text, "%F %T", localtime_r(&now.tv_sec, &parts));
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%s.%09ld resolution %ld, tsc %llu, user %ld us\n", text, now.tv_nsec, resolution.tv_nsec,
         (unsigned long long)__rdtsc(), (long)usage.ru_utime.tv_usec);
  print_results();
  return 0;
}
