/* A thread lets others run until a word changes, while the other one sleeps; then it writes between the calls. Prints how
 * much of the waiting it spent on a processor, most or little, and whether it was made to sleep between writes. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static volatile int done;

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *sleep_first(void *unused) {
  struct timespec t = {0, 300000000};
  nanosleep(&t, NULL);
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return unused;
}

static long written;

int main(void) {
  pthread_t thread;
  double wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_THREAD_CPUTIME_ID);
  pthread_create(&thread, NULL, sleep_first, NULL);
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) sched_yield();
  wall = now(CLOCK_MONOTONIC) - wall, processor = now(CLOCK_THREAD_CPUTIME_ID) - processor;
  printf("waiting: %s\n", processor > 0.5 * wall ? "most" : "little");
  pthread_join(thread, NULL);
  struct rusage before, after;
  getrusage(RUSAGE_THREAD, &before);
  for (int i = 0; i < 20000; i++) {
    __atomic_store_n(&written, written + 1, __ATOMIC_RELAXED);
    sched_yield();
  }
  getrusage(RUSAGE_THREAD, &after);
  printf("writing: %s\n", after.ru_nvcsw - before.ru_nvcsw > 100 ? "made to sleep" : "not made to sleep");
  return 0;
}
