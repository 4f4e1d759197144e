/* Joins in odd orders, threads that join each other, detached threads, values through pthread_exit. */
#include <stdatomic.h>

#include "support.h"

_Atomic int finished;
pthread_t handles[kMaxThreads];
uint64_t chain;

static void *leave(void *argument) {
  int index = (int)(intptr_t)argument;
  for (volatile int k = 0; k < 5000 * (index % 3); k++) {}
  chain = mix(chain, (uint64_t)index);
  int place = atomic_fetch_add(&finished, 1);
  if (index % 2) pthread_exit((void *)(intptr_t)(place + 1000));
  return (void *)(intptr_t)place;
}

static void *join_other(void *argument) {
  void *value = NULL;
  pthread_join(*(pthread_t *)argument, &value);
  return (void *)((intptr_t)value * 2);
}

static void *detached(void *argument) {
  pthread_detach(pthread_self());
  return leave(argument);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  int expected = 2 * threads;
  for (int i = 0; i < threads; i++) pthread_create(&handles[i], NULL, leave, (void *)(intptr_t)i);
  for (int i = 0; i < threads; i++) {
    pthread_t unused;
    pthread_create(&unused, NULL, detached, (void *)(intptr_t)(i + 500));
  }
  pthread_t joiner;
  pthread_create(&joiner, NULL, join_other, &handles[0]);
  for (int i = threads - 1; i >= 1; i--) {
    void *value;
    pthread_join(handles[i], &value);
    printf("thread %d came in at %d\n", i, (int)(intptr_t)value);
  }
  void *twice;
  pthread_join(joiner, &twice);
  printf("thread 0 came in at %d\n", (int)(intptr_t)twice / 2);
  while (atomic_load(&finished) < expected) sched_yield();
  printf("chain %016" PRIx64 "\n", chain);
  return 0;
}
