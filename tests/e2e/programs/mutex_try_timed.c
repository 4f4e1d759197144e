/* trylock, timedlock and clocklock: who fails how often is part of the result. */
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>

#include "support.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long guarded;

static uint64_t body(int index) {
  uint64_t hash = 0;
  long busy = 0, late = 0;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    struct timespec until;
    int got;
    if (i % 3 == 0) {
      got = pthread_mutex_trylock(&lock);
      busy += got == EBUSY;
    } else {
      clockid_t clock = i % 3 == 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
      clock_gettime(clock, &until);
      until.tv_nsec += 20000;
      if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
      got = i % 3 == 1 ? pthread_mutex_timedlock(&lock, &until) : pthread_mutex_clocklock(&lock, clock, &until);
      late += got == ETIMEDOUT;
    }
    if (got == 0) {
      hash = mix(hash, (uint64_t)(guarded = guarded * 7 + index + 1));
      for (volatile int k = 0; k < 200; k++) {}
      if (i % 16 == 0) sched_yield();
      pthread_mutex_unlock(&lock);
    }
  }
  printf("busy %ld late %ld\n", busy, late);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("guarded %lx\n", (unsigned long)guarded);
  print_results();
  return 0;
}
