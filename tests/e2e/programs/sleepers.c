/* nanosleep, usleep, clock_nanosleep, poll and sched_yield decide who comes first. */
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

int order[kMaxThreads * 6], entered;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t body(int index) {
  uint32_t random = (uint32_t)index * 31u + (uint32_t)time(NULL);
  for (int i = 0; i < 6; i++) {
    struct timespec pause = {0, (long)(next_random(&random) % 300000)};
    switch (i) {
      case 0: nanosleep(&pause, NULL); break;
      case 1: usleep((useconds_t)(pause.tv_nsec / 1000)); break;
      case 2: clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL); break;
      case 3: poll(NULL, 0, (int)(pause.tv_nsec / 200000)); break;
      default: sched_yield(); break;
    }
    pthread_mutex_lock(&lock);
    order[entered++] = index;
    pthread_mutex_unlock(&lock);
  }
  return random;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < entered; i++) printf("%d ", order[i]);
  printf("\n");
  print_results();
  return 0;
}
