/* A thread lets others run until a word changes, or until a time has come, while the other one sleeps. Prints how much of that the
 * first one spent on a processor: most or little. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
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

static void tell(const char *until, double wall, double processor) {
  printf("%s: %s\n", until, now(CLOCK_THREAD_CPUTIME_ID) - processor > 0.5 * (now(CLOCK_MONOTONIC) - wall) ? "most" : "little");
}

int main(void) {
  pthread_t thread;
  double wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_THREAD_CPUTIME_ID);
  pthread_create(&thread, NULL, sleep_first, NULL);
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) sched_yield();
  tell("word", wall, processor);
  pthread_join(thread, NULL);
  wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_THREAD_CPUTIME_ID);
  while (now(CLOCK_MONOTONIC) < wall + 0.3) sched_yield();
  tell("time", wall, processor);
  return 0;
}
