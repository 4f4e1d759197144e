/* pthread_cond_timedwait, with time-outs and wake-ups mixed, on both clocks. */
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>

#include "support.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed;
long generation, timeouts, wakes;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(600); i < n; i++) {
    pthread_mutex_lock(&lock);
    if ((i + index) % 3 == 0) {
      generation++;
      if (i & 1) pthread_cond_signal(&changed); else pthread_cond_broadcast(&changed);
    } else {
      struct timespec until;
      clock_gettime(CLOCK_MONOTONIC, &until);
      until.tv_nsec += 100000;
      if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
      long before = generation;
      int status = i & 4 ? pthread_cond_timedwait(&changed, &lock, &until)
                         : pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &until);
      if (status == ETIMEDOUT) timeouts++; else wakes++;
      hash = mix(hash, (uint64_t)(generation - before) * 2 + (status != 0));
    }
    pthread_mutex_unlock(&lock);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &attributes);
  run_threads(body);
  printf("generation %ld, %ld time-outs, %ld wake-ups\n", generation, timeouts, wakes);
  print_results();
  return 0;
}
