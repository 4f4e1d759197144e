/* pthread_cancel of threads that compute, wait and sleep: where it takes effect, and what is cleaned up. */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

enum { kKinds = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t empty;
static pthread_key_t key;
static int ends[2];
static volatile uint32_t racing, cleaned, destroyed;

struct Victim {
  int kind;
  volatile uint32_t steps, cleanups;
};

static void clean(void *victim) {
  ((struct Victim *)victim)->cleanups++;
  cleaned = cleaned * 31 + racing;
}

static void unlock(void *mutex) { pthread_mutex_unlock(mutex); }
static void destroy(void *value) { destroyed = destroyed + (uint32_t)(uintptr_t)value; }

static void wait_in(struct Victim *victim) {
  char byte;
  struct timespec hour = {3600, 0};
  switch (victim->kind) {
    case 0:
      while (read(ends[0], &byte, 1) != 1) victim->steps++;
      break;
    case 1: nanosleep(&hour, NULL); break;
    case 2:
      pthread_mutex_lock(&lock);
      pthread_cleanup_push(unlock, &lock);
      for (;;) pthread_cond_wait(&never, &lock);
      pthread_cleanup_pop(1);
      break;
    case 3: sem_wait(&empty); break;
    case 4:
      for (;;) {
        racing = racing * 3 + 1;
        if (++victim->steps % 128 == 0) pthread_testcancel();
      }
    case 5:
      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
      for (int i = 0; i < 3000; i++) racing = racing * 5 + victim->steps++;
      pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
      for (;;) pause();
  }
}

static void *be_victim(void *argument) {
  struct Victim *victim = argument;
  pthread_setspecific(key, (void *)(uintptr_t)(victim->kind + 1));
  pthread_cleanup_push(clean, victim);
  pthread_cleanup_push(clean, victim);
  wait_in(victim);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int kind = 0; kind < kKinds; kind++) {
    struct Victim victim = {.kind = kind};
    pthread_t thread;
    if (pthread_create(&thread, NULL, be_victim, &victim) != 0) return 0;
    for (int i = 0; i < 200 * (index % 4); i++) racing = racing + (uint32_t)i;
    if (index % 2) usleep(500);
    pthread_cancel(thread);
    void *result = NULL;
    pthread_join(thread, &result);
    hash = mix(hash, (uint64_t)(result == PTHREAD_CANCELED) * 1000 + victim.cleanups);
    hash = mix(hash, victim.steps);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  if (pipe(ends) != 0) return 1;
  sem_init(&empty, 0, 0);
  pthread_key_create(&key, destroy);
  run_threads(body);
  print_results();
  printf("cleaned %08x destroyed %u racing %08x\n", cleaned, destroyed, racing);
  return 0;
}
