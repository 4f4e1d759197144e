/* SIGPIPE handled, ignored and blocked; handlers on alternate stacks in several threads, and one inside another. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "support.h"

enum { kStackBytes = 32768 };

static __thread char *stack;
static __thread volatile int pipes, inner, on_stack;
static volatile uint32_t racing;

static int is_on_stack(void) {
  char here;
  stack_t now;
  sigaltstack(NULL, &now);
  return (&here >= stack && &here < stack + kStackBytes) * 2 + ((now.ss_flags & SS_ONSTACK) != 0);
}

static void on_inner(int signal) {
  (void)signal;
  inner++;
  racing = racing * 3 + 1;
  on_stack = on_stack * 4 + is_on_stack();
}

static void on_pipe(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  pipes++;
  on_stack = on_stack * 4 + is_on_stack();
  racing = racing * 5 + (uint32_t)(info->si_pid == getpid());
  raise(SIGUSR1);
}

static uint64_t body(int index) {
  stack = malloc(kStackBytes);
  stack_t wanted = {0}, none = {0};
  wanted.ss_sp = stack;
  wanted.ss_size = kStackBytes;
  sigaltstack(&wanted, NULL);
  int ends[2];
  if (pipe(ends) != 0) return 0;
  close(ends[0]);
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < 10; i++) {
    errno = 0;
    ssize_t n = write(ends[1], "x", 1);
    hash = mix(mix(hash, (uint64_t)n), (uint64_t)errno);
    hash = mix(hash, racing);
  }
  hash = mix(mix(hash, (uint64_t)pipes), (uint64_t)inner * 100 + (uint64_t)on_stack);
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, NULL);
  free(stack);
  close(ends[1]);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  struct sigaction action = {0};
  action.sa_sigaction = on_pipe;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGPIPE, &action, NULL);
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = on_inner;
  sigaction(SIGUSR1, &action, NULL);
  run_threads(body);
  print_results();
  signal(SIGPIPE, SIG_IGN);
  run_threads(body);
  print_results();
  printf("racing %08x\n", racing);
  return 0;
}
