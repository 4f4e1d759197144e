/* Threads that interrupt each other with pthread_kill, in loops, in locks and in waits: how often a handler runs, and what
 * the thread was doing then, is the schedule's choice. */
#include <signal.h>

#include "support.h"

static pthread_t handles[kMaxThreads];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint32_t shared, handled;
static __thread volatile uint32_t mine, steps;
static __thread uint64_t seen;

static void on_user(int signal) {
  mine++;
  handled = handled + 1;
  shared = shared * 31 + steps;
  seen = mix(seen, shared + (uint32_t)signal);
}

static uint64_t body(int index) {
  handles[index] = pthread_self();
  pthread_barrier_wait(&start_line);
  uint32_t random = (uint32_t)index + 1;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    for (uint32_t k = next_random(&random) % 64; k; k--) shared = shared * 5 + k;
    if (i % 8 == 0) pthread_kill(handles[next_random(&random) % (uint32_t)threads], i % 16 ? SIGUSR1 : SIGUSR2);
    if (i % 32 == 1) {
      pthread_mutex_lock(&lock);
      shared = shared + 1;
      pthread_mutex_unlock(&lock);
    }
    steps = (uint32_t)i;
  }
  pthread_barrier_wait(&start_line);
  return mix(seen, mine);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  struct sigaction action = {0};
  action.sa_handler = on_user;
  sigaction(SIGUSR1, &action, NULL);
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, NULL);
  run_threads(body);
  print_results();
  printf("handled %u shared %08x\n", handled, shared);
  return 0;
}
