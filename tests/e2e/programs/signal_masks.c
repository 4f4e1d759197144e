/* Masks: what is blocked waits, sa_mask, SA_NODEFER and SA_RESETHAND, handlers inside handlers, sigpending, sigsuspend. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "support.h"

static __thread char trail[256];
static __thread int length, depth;

static void note(char what) {
  if (length < (int)sizeof trail - 1) trail[length++] = what;
}

static int is_blocked(int signal) {
  sigset_t set;
  pthread_sigmask(SIG_BLOCK, NULL, &set);
  return sigismember(&set, signal);
}

static void send(int signal) { pthread_kill(pthread_self(), signal); }

static void on_first(int signal) {
  note('(');
  note(is_blocked(signal) ? 'b' : 'o');
  note(is_blocked(SIGUSR2) ? 'B' : 'O');
  if (depth++ < 3) {
    send(SIGUSR2);
    send(signal);
  }
  note(')');
}

static void on_second(int signal) {
  (void)signal;
  note('[');
  note(']');
}

static void install(int signal, void (*handler)(int), int flags, int also_blocked) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (also_blocked) sigaddset(&action.sa_mask, also_blocked);
  sigaction(signal, &action, NULL);
}

/* Signals that the kernel sends, too, for faults and by itself: pending, taken by who waits for them or by handlers. */
static void block_and_wait(int signal) {
  sigset_t set, old, pending;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  send(signal);
  sigpending(&pending);
  note(sigismember(&pending, signal) ? 'p' : '-');
  siginfo_t info = {0};
  struct timespec limit = {5, 0};
  note(sigtimedwait(&set, &info, &limit) == signal && info.si_pid == getpid() ? 't' : '?');
  sigpending(&pending);
  note(sigismember(&pending, signal) ? 'p' : '-');
  send(signal);
  note('u');
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  note('d');
  send(signal);
}

static uint64_t body(int index) {
  (void)index;
  sigset_t set, old, pending;
  block_and_wait(SIGTRAP);
  block_and_wait(SIGSYS);
  send(SIGUSR1);
  note('1');
  depth = 0;
  send(SIGHUP);  /* SA_NODEFER */
  note('2');
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  depth = 3;
  send(SIGUSR2);
  send(SIGUSR1);
  send(SIGUSR1);
  note('3');
  sigpending(&pending);
  note(sigismember(&pending, SIGUSR1) ? 'p' : '-');
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  note('4');
  pthread_sigmask(SIG_BLOCK, &set, &old);
  send(SIGUSR2);
  sigset_t suspended = old;
  sigaddset(&suspended, SIGUSR1);
  int result = sigsuspend(&suspended);
  note(result == -1 && is_blocked(SIGUSR2) ? 's' : '?');
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return mix((uint64_t)length, depth);
}

static uint64_t print_trail(int index) {
  uint64_t hash = body(index);
  printf("%d %s\n", index, trail);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  install(SIGUSR1, on_first, SA_RESTART, SIGUSR2);
  install(SIGUSR2, on_second, SA_RESTART, 0);
  install(SIGHUP, on_first, SA_NODEFER, 0);
  install(SIGTRAP, on_second, 0, 0);
  install(SIGSYS, on_second, 0, 0);
  run_threads(print_trail);
  print_results();
  install(SIGTERM, on_second, SA_RESETHAND, 0);
  struct sigaction now;
  sigaction(SIGTERM, NULL, &now);
  printf("before %d\n", now.sa_handler == on_second);
  raise(SIGTERM);
  sigaction(SIGTERM, NULL, &now);
  printf("after %d\n", now.sa_handler == SIG_DFL);
  signal(SIGTERM, SIG_IGN);
  raise(SIGTERM);
  signal(SIGTERM, SIG_DFL);
  fflush(stdout);
  raise(SIGTERM);
  return 0;
}
