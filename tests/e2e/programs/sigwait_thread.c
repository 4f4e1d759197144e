/* A thread that waits for signals with sigwait, others that send them: how many are still pending when the next comes, and
 * are lost therefore, is the schedule's choice. */
#include <signal.h>

#include "support.h"

static pthread_t receiver;

static void *receive(void *nothing) {
  (void)nothing;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  int received = 0;
  for (int signal = 0; signal != SIGUSR2; received++) sigwait(&set, &signal);
  printf("received %d\n", received);
  return NULL;
}

static uint64_t body(int index) {
  for (int i = 0, n = share_of(400); i < n; i++) {
    pthread_kill(receiver, SIGUSR1);
    yield_every(i + index, 8);
  }
  return 0;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&receiver, NULL, receive, NULL);
  run_threads(body);
  pthread_kill(receiver, SIGUSR2);
  pthread_join(receiver, NULL);
}
