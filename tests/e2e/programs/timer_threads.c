// Timers that start threads: several at once, periodic ones, with attributes, on other clocks, deleted while they run.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kMaxTimers = 8, kTurns = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static int turns[kMaxTimers];
static long racy, first_caller;

static void on_timer(union sigval value) {
  int i = value.sival_int;
  racy += i;  // a race, on purpose
  pthread_mutex_lock(&lock);
  if (!first_caller) first_caller = i + 1;
  int n = ++turns[i];
  pthread_mutex_unlock(&lock);
  if (n == kTurns) sem_post(&done);
}

static void on_large_stack(union sigval value) {
  sigset_t blocked;
  size_t size = 0;
  pthread_attr_t mine;
  pthread_getattr_np(pthread_self(), &mine);
  pthread_attr_getstacksize(&mine, &size);
  pthread_attr_destroy(&mine);
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  printf("%s: stack of %s, SIGUSR1 %s\n", (const char*)value.sival_ptr, size >= 1 << 20 ? "a megabyte" : "less",
         sigismember(&blocked, SIGUSR1) ? "blocked" : "not blocked");
  sem_post(&done);
}

static timer_t start(clockid_t clock, struct sigevent* event, long first_ns, long every_ns) {
  timer_t timer;
  if (timer_create(clock, event, &timer)) {
    perror("timer_create");
    exit(1);
  }
  struct itimerspec when = {{0, every_ns}, {0, first_ns}};
  if (timer_settime(timer, 0, &when, NULL)) exit(1);
  return timer;
}

int main(int count, char** arguments) {
  int timers = count > 1 ? atoi(arguments[1]) : 4;
  if (timers > kMaxTimers) timers = kMaxTimers;
  sem_init(&done, 0, 0);
  sigset_t users;
  sigemptyset(&users);
  sigaddset(&users, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &users, NULL);

  timer_t timer[kMaxTimers];
  for (int i = 0; i < timers; i++) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer, .sigev_value.sival_int = i};
    timer[i] = start(i % 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &event, 1000000 + 100000 * i, 2000000);
  }
  for (int i = 0; i < timers; i++) sem_wait(&done);
  for (int i = 0; i < timers; i++) printf("overrun of %d: %d\n", i, timer_getoverrun(timer[i]));
  for (int i = 0; i < timers; i++)
    if (timer_delete(timer[i])) return 1;
  pthread_mutex_lock(&lock);
  printf("first was %ld, racy %ld:", first_caller, racy);
  for (int i = 0; i < timers; i++) printf(" %d", turns[i]);
  printf("\n");
  pthread_mutex_unlock(&lock);

  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 2 << 20);
  struct sigevent once = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_large_stack,
                          .sigev_value.sival_ptr = "once", .sigev_notify_attributes = &large};
  timer_t alone = start(CLOCK_MONOTONIC, &once, 1, 0);
  pthread_attr_destroy(&large);
  sem_wait(&done);
  struct itimerspec left;
  timer_gettime(alone, &left);
  printf("left: %ld.%09ld\n", (long)left.it_value.tv_sec, left.it_value.tv_nsec);
  timer_delete(alone);
  errno = 0;
  printf("deleted twice: %d, %s\n", timer_delete(alone), strerror(errno));
  struct sigevent none = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
  printf("no such clock: %d, %s\n", timer_create(12345, &none, &alone), strerror(errno));
  return 0;
}
