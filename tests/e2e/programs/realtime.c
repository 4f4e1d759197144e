/* Threads with real-time priorities on one processor, that share memory and a mutex: who waits must let the lower one
 * run. Without the right to have such threads they are ordinary ones. */
#define _GNU_SOURCE
#include <sched.h>

#include "support.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile uint32_t racing;

static uint64_t body(int index) {
  uint64_t hash = 0;
  struct sched_param priority = {.sched_priority = 1 + index % 4};
  pthread_setschedparam(pthread_self(), index % 2 ? SCHED_FIFO : SCHED_RR, &priority);
  for (int i = 0, n = share_of(4000); i < n; i++) {
    racing = racing * 3 + (uint32_t)index;
    hash = mix(hash, racing);
    if (i % 16) continue;
    pthread_mutex_lock(&mutex);
    hash = mix(hash, racing++);
    pthread_mutex_unlock(&mutex);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  run_threads(body);
  print_results();
  printf("racing %08x\n", racing);
  return 0;
}
