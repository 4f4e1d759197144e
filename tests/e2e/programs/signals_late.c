/* Signals to threads that may have ended already: pthread_sigqueue and pthread_kill then say so, or not. */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "support.h"

static pthread_t member[kMaxThreads];
static volatile uint64_t values;
static pthread_barrier_t all_known;
static sem_t done;  // by each: nobody is joined while others may still ask for it

static void on_value(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  values = mix(values, (uint64_t)info->si_value.sival_int);
}

static void *body(void *argument) {
  int index = (int)(intptr_t)argument;
  uint64_t hash = 0;
  member[index] = pthread_self();
  pthread_barrier_wait(&all_known);
  for (int i = 0; i < 40; i++) {
    union sigval value = {.sival_int = index * 100 + i};
    pthread_t to = member[(index + i) % threads];
    int result = i % 4 ? pthread_sigqueue(to, SIGRTMIN + 1, value) : pthread_kill(to, 0);
    if (result && result != ESRCH && result != EAGAIN) abort();
    hash = mix(hash, (uint64_t)result);
    for (volatile int turn = 0; turn < 20 * index; turn++) continue;  // so that some end much earlier
  }
  results[index] = hash;
  sem_post(&done);
  return NULL;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_barrier_init(&all_known, NULL, (unsigned)threads);
  struct sigaction action = {.sa_sigaction = on_value, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGRTMIN + 1, &action, NULL);
  sem_init(&done, 0, 0);
  pthread_t started[kMaxThreads];
  for (int i = 0; i < threads; i++) pthread_create(&started[i], NULL, body, (void *)(intptr_t)i);
  for (int i = 0; i < threads; i++) sem_wait(&done);
  for (int i = 0; i < threads; i++) pthread_join(started[i], NULL);
  print_results();
  printf("%016" PRIx64 "\n", values);
  return 0;
}
