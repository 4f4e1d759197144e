/* Mutexes with priority inheritance and ceilings, adaptive ones, rwlocks that prefer writers. */
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>

#include "support.h"

static pthread_mutex_t inheriting, adaptive;
static pthread_rwlock_t writers;
static uint64_t guarded[3];

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(600); i < n; i++) {
    pthread_mutex_lock(&inheriting);
    guarded[0] = mix(guarded[0], (uint64_t)index);
    hash = mix(hash, guarded[0]);
    pthread_mutex_unlock(&inheriting);
    if (pthread_mutex_trylock(&adaptive) == 0) {
      hash = mix(hash, ++guarded[1]);
      pthread_mutex_unlock(&adaptive);
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    int got = i % 5 ? pthread_rwlock_rdlock(&writers) : pthread_rwlock_timedwrlock(&writers, &until);
    hash = mix(hash, (uint64_t)got);
    if (got == 0) {
      if (i % 5 == 0) guarded[2] += (uint64_t)index + 1;
      hash = mix(hash, guarded[2]);
      pthread_rwlock_unlock(&writers);
    }
    yield_every(i, 30);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&inheriting, &kind);
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
  pthread_mutex_init(&adaptive, &kind);
  pthread_rwlockattr_t how;
  pthread_rwlockattr_init(&how);
  pthread_rwlockattr_setkind_np(&how, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&writers, &how);
  run_threads(body);
  print_results();
  printf("%" PRIu64 " %" PRIu64 "\n", guarded[1], guarded[2]);
  return 0;
}
