/* Handlers that do not return: siglongjmp out of a loop, of a wait, and of a stack that has overflowed. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static sigjmp_buf out;
static volatile uint32_t work;
static char alternate[65536];
static volatile int on_alternate;

static void on_alarm(int signal) { siglongjmp(out, signal); }

static void on_overflow(int signal) {
  char here;
  on_alternate = &here >= alternate && &here < alternate + sizeof alternate;
  siglongjmp(out, signal);
}

static void set_timer(int microseconds) {
  struct itimerval once = {{0, 0}, {0, microseconds}};
  setitimer(ITIMER_REAL, &once, NULL);
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < share_of(8000); i++) hash = mix(hash, work++);
  return hash;
}

__attribute__((noinline)) static int dive(volatile char *above, int depth) {
  volatile char room[4096];
  room[0] = above[0];
  return dive(room, depth + 1) + room[1];
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  struct sigaction action = {0};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  volatile int jumps = 0;
  while (jumps < 5) {
    int from = sigsetjmp(out, 1);
    if (from) {
      jumps++;
      printf("jump %d from %d at %u\n", jumps, from, work);
      continue;
    }
    set_timer(2000);
    if (jumps % 2) {
      for (;;) work = work * 3 + 1;
    } else {
      for (;;) pause();
    }
  }
  sigset_t set;
  pthread_sigmask(SIG_BLOCK, NULL, &set);
  printf("blocked %d\n", sigismember(&set, SIGALRM));
  stack_t stack = {0}, old;
  stack.ss_sp = alternate;
  stack.ss_size = sizeof alternate;
  sigaltstack(&stack, &old);
  printf("no stack before: %d\n", old.ss_flags == SS_DISABLE);
  action.sa_handler = on_overflow;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, NULL);
  for (volatile int i = 0; i < 3; i++) {
    char top = 0;
    if (!sigsetjmp(out, 1)) printf("%d\n", dive(&top, 0));
    printf("overflow %d, handler on its stack: %d\n", i, on_alternate);
  }
  run_threads(body);
  print_results();
  return 0;
}
