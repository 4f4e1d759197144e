/* Semaphores: wait, trywait, timedwait, post and getvalue. */
#include <errno.h>
#include <semaphore.h>
#include <time.h>

#include "support.h"

sem_t permits;
long inside, most;
uint64_t chain;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    int status = 0, value = 0;
    switch ((i + index) % 3) {
      case 0: status = sem_wait(&permits); break;
      case 1: status = sem_trywait(&permits); break;
      default: {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 30000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        status = sem_timedwait(&permits, &until);
      }
    }
    hash = mix(hash, status == 0 ? 0 : (uint64_t)errno);
    if (status != 0) continue;
    long now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    if (now > most) most = now;
    chain = mix(chain, (uint64_t)index);
    sem_getvalue(&permits, &value);
    hash = mix(hash, (uint64_t)value);
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    sem_post(&permits);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  sem_init(&permits, 0, 2);
  run_threads(body);
  sem_destroy(&permits);
  printf("most %ld chain %016" PRIx64 "\n", most, chain);
  print_results();
  return 0;
}
