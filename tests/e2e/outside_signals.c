/* Races until somebody outside says SIGTERM, and counts the other signals from there. See outside_signals.py. */
#include <signal.h>
#include <unistd.h>

#include "programs/support.h"

static volatile uint32_t handled, racing;
static volatile uint64_t seen;
static int done;

static void on_other(int signal, siginfo_t *info, void *context) {
  (void)context;
  handled = handled + 1;
  seen = mix(seen, racing + (uint32_t)signal + (uint32_t)info->si_pid);
}

static void on_end(int signal) {
  (void)signal;
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
    for (int i = 0; i < 100; i++) racing = racing * 5 + (uint32_t)i;
    hash = mix(hash, racing + handled);
    usleep(100);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  struct sigaction action = {0};
  action.sa_sigaction = on_other;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  signal(SIGTERM, on_end);
  puts("ready");
  fflush(stdout);
  run_threads(body);
  print_results();
  printf("handled %u seen %016" PRIx64 "\n", handled, seen);
  return 0;
}
