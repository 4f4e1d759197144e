/* Waits that end only after a handler has run in the thread that waits: for a spin lock, for another's pthread_once.
 * And requests to end a thread that come while it waits for a mutex, which is no cancellation point. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "support.h"

static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t waiter;
static volatile sig_atomic_t handled;
static volatile int waiting;

static void on_signal(int signal) {
  (void)signal;
  handled++;
}

/* Until the waiting thread's handler has run. */
static void disturb(void) {
  int before = handled;
  while (!waiting) usleep(100);
  usleep(20000);
  pthread_kill(waiter, SIGUSR1);
  while (handled == before) usleep(100);
}

static void *wait_for_spin(void *unused) {
  waiting = 1;
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
  return unused;
}

static void *wait_for_once(void *unused) {
  while (!waiting) usleep(100);
  pthread_once(&once, disturb);
  return unused;
}

static void begin_once(void) {
  waiting = 1;
  disturb();
}

static void *wait_for_mutex(void *unused) {
  (void)unused;
  waiting = 1;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_testcancel();
  return NULL;
}

static void *join(void) {
  void *result = NULL;
  pthread_join(waiter, &result);
  waiting = 0;
  return result;
}

int main(void) {
  signal(SIGUSR1, on_signal);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&spin);
  pthread_create(&waiter, NULL, wait_for_spin, NULL);
  disturb();
  pthread_spin_unlock(&spin);
  join();
  pthread_create(&waiter, NULL, wait_for_once, NULL);
  pthread_once(&once, begin_once);
  join();
  printf("handled %d\n", (int)handled);
  int cancelled = 0;
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&mutex);
    pthread_create(&waiter, NULL, wait_for_mutex, NULL);
    while (!waiting) usleep(100);
    if (i % 2) usleep(2000);
    pthread_cancel(waiter);
    pthread_mutex_unlock(&mutex);
    cancelled += join() == PTHREAD_CANCELED;
  }
  printf("cancelled %d\n", cancelled);
  return handled == 2 && cancelled == 20 ? 0 : 1;
}
