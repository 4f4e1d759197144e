/* Normal, recursive, error-checking and adaptive mutexes. */
#define _GNU_SOURCE
#include <errno.h>

#include "support.h"

pthread_mutex_t locks[4];
long values[4];
uint64_t order;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(12000); i < n; i++) {
    int which = (i + index) & 3;
    pthread_mutex_lock(&locks[which]);
    if (which == 1) pthread_mutex_lock(&locks[1]);
    if (which == 2 && pthread_mutex_lock(&locks[2]) != EDEADLK) abort();
    hash = mix(hash, (uint64_t)(values[which] = values[which] * 5 + index));
    if (which == 1) pthread_mutex_unlock(&locks[1]);
    pthread_mutex_unlock(&locks[which]);
    if (which == 3 && pthread_mutex_unlock(&locks[2]) != EPERM) abort();
    order += (uint64_t)which;
  }
  return hash;
}

int main(int argc, char **argv) {
  static const int kKinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                               PTHREAD_MUTEX_ADAPTIVE_NP};
  parse_threads(argc, argv);
  for (int i = 0; i < 4; i++) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kKinds[i]);
    pthread_mutex_init(&locks[i], &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  run_threads(body);
  for (int i = 0; i < 4; i++) {
    printf("value %lx\n", (unsigned long)values[i]);
    pthread_mutex_destroy(&locks[i]);
  }
  printf("order %" PRIu64 "\n", order);
  print_results();
  return 0;
}
