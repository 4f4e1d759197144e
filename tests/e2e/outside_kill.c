/* One thread waits for ever; the other works for a while and leaves. In a replay the first is at its end long before.
   See outside_signals.py. */
#include <semaphore.h>

#include "programs/support.h"

static void *leave(void *argument) {
  uint64_t hash = 0;
  for (uint64_t i = 0; i < 20000000; i++) hash = mix(hash, i);
  *(uint64_t *)argument = hash;
  return NULL;
}

int main(void) {
  pthread_t thread;
  sem_t never;
  uint64_t hash;
  sem_init(&never, 0, 0);
  pthread_create(&thread, NULL, leave, &hash);
  puts("ready");
  fflush(stdout);
  sem_wait(&never);
  return 1;
}
