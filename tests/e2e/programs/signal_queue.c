/* sigqueue: values come with signals, one for each; handlers, sigwaitinfo and sigtimedwait get them. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static pthread_t receiver;
static volatile uint64_t handled, count;

static void on_value(int signal, siginfo_t *info, void *context) {
  (void)context;
  handled = mix(handled, (uint64_t)info->si_value.sival_int + (uint64_t)signal);
  handled = mix(handled, (uint64_t)(info->si_pid == getpid()) + (uint64_t)(info->si_code == SI_QUEUE) * 2);
  count = count + 1;
}

static uint64_t body(int index) {
  for (int i = 0, n = share_of(64); i < n; i++) {
    union sigval value = {.sival_int = index * 1000 + i};
    pthread_sigqueue(receiver, i % 2 ? SIGRTMIN + 2 : SIGRTMIN + 3, value);
    yield_every(i, 4);
  }
  return (uint64_t)index;
}

static void *receive(void *wanted) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 2);
  uint64_t hash = 0;
  int got = 0;
  siginfo_t info;
  while (got + (int)count < *(int *)wanted) {
    struct timespec limit = {0, 5000000};
    int signal = sigtimedwait(&set, &info, &limit);
    if (signal < 0) continue;
    hash = mix(hash, (uint64_t)info.si_value.sival_int);
    got++;
  }
  printf("waited for %d, handled %d, %016" PRIx64 " %016" PRIx64 "\n", got, (int)count, hash, handled);
  return NULL;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  struct sigaction action = {0};
  action.sa_sigaction = on_value;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGRTMIN + 3, &action, NULL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  int wanted = threads * share_of(64);
  pthread_create(&receiver, NULL, receive, &wanted);
  run_threads(body);
  pthread_join(receiver, NULL);
  sigaction(SIGRTMIN + 4, &action, NULL);
  for (int i = 0; i < 5; i++) sigqueue(getpid(), SIGRTMIN + 4, (union sigval){.sival_int = i});
  printf("all %d %016" PRIx64 "\n", (int)count, handled);
  sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = 42});
  siginfo_t info;
  int signal = sigwaitinfo(&set, &info);
  printf("waited %d %d\n", signal - SIGRTMIN, info.si_value.sival_int);
  return 0;
}
