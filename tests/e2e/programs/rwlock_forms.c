/* Every form of the read-write lock: plain, try, timed, clock; readers and writers counted. */
#define _GNU_SOURCE
#include <time.h>

#include "support.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
long table[16];

static struct timespec soon(clockid_t clock) {
  struct timespec until;
  clock_gettime(clock, &until);
  until.tv_nsec += 50000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  return until;
}

static int acquire(int form) {
  struct timespec until;
  switch (form) {
    case 0: case 1: case 2: return pthread_rwlock_rdlock(&lock);
    case 3: return pthread_rwlock_wrlock(&lock);
    case 4: return pthread_rwlock_tryrdlock(&lock);
    case 5: return pthread_rwlock_trywrlock(&lock);
    case 6: until = soon(CLOCK_REALTIME); return pthread_rwlock_timedrdlock(&lock, &until);
    case 7: until = soon(CLOCK_REALTIME); return pthread_rwlock_timedwrlock(&lock, &until);
    case 8: until = soon(CLOCK_MONOTONIC); return pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until);
    default: until = soon(CLOCK_MONOTONIC); return pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until);
  }
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(5000); i < n; i++) {
    int form = (i * 7 + index) % 10;
    int writes = form == 3 || form == 5 || form == 7 || form == 9;
    int status = acquire(form);
    hash = mix(hash, (uint64_t)status);
    if (status != 0) continue;
    if (writes) table[i & 15] += index + table[(i + 1) & 15]; else hash = mix(hash, (uint64_t)table[i & 15]);
    pthread_rwlock_unlock(&lock);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < 16; i++) printf("%lx\n", (unsigned long)table[i]);
  print_results();
  return 0;
}
