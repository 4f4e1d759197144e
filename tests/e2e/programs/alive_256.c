/* 256 threads alive at once, whatever the argument; each takes a turn of its own choosing. */
#include "support.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int order[kMaxThreads * 2], entered;
int plain;

static uint64_t body(int index) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    order[entered++] = index;
    pthread_mutex_unlock(&lock);
    plain += index;
    sched_yield();
  }
  return (uint64_t)plain;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  threads = kMaxThreads;
  run_threads(body);
  for (int i = 0; i < entered; i++) printf("%d%c", order[i], i % 32 == 31 ? '\n' : ' ');
  printf("plain %d\n", plain);
  print_results();
  return 0;
}
