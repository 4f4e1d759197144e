/* Signals that are sent again as soon as their handler has begun: handlers follow each other on one stack, however long
 * that goes on, and vector registers are what they were. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "support.h"

enum { kRounds = 2000, kStack = 256 * 1024 };

static sem_t may_send[2];
static volatile sig_atomic_t handled[2];
static volatile int done;

static void on_signal(int signal) {
  int which = signal == SIGUSR2;
  handled[which]++;
  sem_post(&may_send[which]);
}

static void *send_again(void *argument) {
  int which = (int)(intptr_t)argument;
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  while (!done) {
    sem_wait(&may_send[which]);
    kill(getpid(), which ? SIGUSR2 : SIGUSR1);
  }
  return NULL;
}

static void *compute(void *argument) {
  double sums[4] = {1, 2, 3, 4};
  long steps = 0;
  while (handled[0] < kRounds || handled[1] < kRounds) {
    for (int i = 0; i < 4; i++) sums[i] = sums[i] * 1.000001 + i;
    steps++;
  }
  *(long *)argument = steps;
  double expected[4] = {1, 2, 3, 4};
  for (long n = 0; n < steps; n++)
    for (int i = 0; i < 4; i++) expected[i] = expected[i] * 1.000001 + i;
  return (void *)(intptr_t)(memcmp(sums, expected, sizeof sums) == 0);
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, kStack);
  pthread_t worker, sender[2];
  long steps = 0;
  void *same = NULL;
  pthread_create(&worker, &small, compute, &steps);
  sigset_t set;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  for (int i = 0; i < 2; i++) {
    sem_init(&may_send[i], 0, 1);
    pthread_create(&sender[i], NULL, send_again, (void *)(intptr_t)i);
  }
  pthread_join(worker, &same);
  done = 1;
  for (int i = 0; i < 2; i++) {
    sem_post(&may_send[i]);
    pthread_join(sender[i], NULL);
  }
  printf("%ld steps, %d and %d signals, registers %s\n", steps, (int)handled[0], (int)handled[1],
         same ? "the same" : "changed");
  return same ? 0 : 1;
}
