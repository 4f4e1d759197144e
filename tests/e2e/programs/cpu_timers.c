/* Timers that count processor time: ITIMER_VIRTUAL, ITIMER_PROF, clocks of threads. */
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "support.h"

static volatile sig_atomic_t ticks[2];

static void on_virtual(int signal) {
  (void)signal;
  ticks[0]++;
}
static void on_profile(int signal) {
  (void)signal;
  ticks[1]++;
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < 40; i++) {
    for (int k = 0; k < 20000; k++) hash = mix(hash, (uint64_t)k);
    hash = mix(hash, (uint64_t)(ticks[0] + ticks[1] * 100));
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    hash = mix(hash, (uint64_t)used.tv_nsec);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  signal(SIGVTALRM, on_virtual);
  signal(SIGPROF, on_profile);
  struct itimerval every = {{0, 4000}, {0, 4000}}, before;
  setitimer(ITIMER_VIRTUAL, &every, NULL);
  setitimer(ITIMER_PROF, &every, NULL);
  run_threads(body);
  getitimer(ITIMER_PROF, &before);
  struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_VIRTUAL, &off, NULL);
  setitimer(ITIMER_PROF, &off, NULL);
  print_results();
  printf("%d %d\n", (int)ticks[0], (int)ticks[1]);
  return 0;
}
