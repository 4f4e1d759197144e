/* signalfd: signals of other threads are read like data, with who sent them. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "support.h"

static uint64_t body(int index) {
  for (int i = 0; i < 5; i++) {
    kill(getpid(), index % 2 ? SIGUSR1 : SIGUSR2);
    yield_every(i, 2);
  }
  return (uint64_t)index;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  run_threads(body);
  struct signalfd_siginfo info;
  while (read(fd, &info, sizeof info) == (ssize_t)sizeof info)
    printf("signal %u from %u %u\n", info.ssi_signo, info.ssi_pid, info.ssi_uid);
  print_results();
  return 0;
}
