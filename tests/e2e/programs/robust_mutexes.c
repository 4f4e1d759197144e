/* Robust mutexes: threads end with them held, and others find that, make the state consistent or give the mutex up. */
#define _GNU_SOURCE
#include <errno.h>

#include "support.h"

enum { kMutexes = 4 };

static pthread_mutex_t mutex[kMutexes];
static volatile uint32_t value[kMutexes], repaired, lost;

static void *end_with_it(void *argument) {
  int which = (int)(intptr_t)argument;
  int got = pthread_mutex_lock(&mutex[which]);
  if (got == EOWNERDEAD) pthread_mutex_consistent(&mutex[which]);
  value[which]++;
  return NULL;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(100); i < n; i++) {
    int which = (index + i) % (kMutexes - 1);
    pthread_t thread;
    void *argument = (void *)(intptr_t)which;
    if (i % 5 == 0 && pthread_create(&thread, NULL, end_with_it, argument) == 0) pthread_join(thread, NULL);
    int got = i % 2 ? pthread_mutex_trylock(&mutex[which]) : pthread_mutex_lock(&mutex[which]);
    hash = mix(hash, (uint64_t)got);
    if (got != 0 && got != EOWNERDEAD) continue;
    if (got == EOWNERDEAD) {
      repaired++;
      hash = mix(hash, (uint64_t)pthread_mutex_consistent(&mutex[which]));
    }
    hash = mix(hash, value[which]++);
    pthread_mutex_unlock(&mutex[which]);
  }
  /* This one nobody repairs. */
  int got = pthread_mutex_lock(&mutex[kMutexes - 1]);
  if (got == EOWNERDEAD || got == 0) hash = mix(hash, (uint64_t)pthread_mutex_unlock(&mutex[kMutexes - 1]));
  if (got == ENOTRECOVERABLE) lost++;
  return mix(hash, (uint64_t)got);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  for (int i = 0; i < kMutexes; i++) pthread_mutex_init(&mutex[i], &robust);
  printf("not held: %s\n", strerror(pthread_mutex_consistent(&mutex[0])));
  pthread_t thread;
  pthread_create(&thread, NULL, end_with_it, (void *)(intptr_t)(kMutexes - 1));
  pthread_join(thread, NULL);
  run_threads(body);
  print_results();
  printf("values %u %u %u, repaired %u, lost %u\n", value[0], value[1], value[2], repaired, lost);
  return 0;
}
