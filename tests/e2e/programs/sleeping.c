/* Sleeping in all its ways, absolute and relative, and what clocks say around it. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/time.h>

#include "inputs.h"

static uint64_t body(int index) {
  static const clockid_t kClocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
                                      CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_REALTIME_COARSE};
  uint64_t hash = (uint64_t)index;
  struct timespec t, left = {0, 0};
  for (size_t i = 0; i < sizeof kClocks / sizeof *kClocks; i++) {
    hash = mix_result(hash, clock_gettime(kClocks[i], &t));
    hash = mix(mix(hash, (uint64_t)t.tv_sec), (uint64_t)t.tv_nsec);
    hash = mix_result(hash, clock_getres(kClocks[i], &t));
  }
  t = (struct timespec){0, (long)(now() % 300000)};
  hash = mix_result(hash, nanosleep(&t, &left));
  hash = mix_result(hash, clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &left));
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_nsec = (t.tv_nsec + 200000) % 1000000000;
  hash = mix_result(hash, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
  hash = mix_result(hash, usleep((useconds_t)(now() % 200)));
  hash = mix_result(hash, poll(NULL, 0, 1));
  struct timeval v;
  gettimeofday(&v, NULL);
  hash = mix(mix(hash, (uint64_t)v.tv_usec), (uint64_t)time(NULL));
  t = (struct timespec){0, -1};
  return mix_result(hash, nanosleep(&t, NULL));
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
