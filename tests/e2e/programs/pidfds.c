/* Children known by descriptors: waiting for them with poll and waitid, signals sent through them. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "inputs.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

static uint64_t one_child(int index, int round) {
  pid_t child = fork();
  if (child == 0) {
    if (round % 2) pause();
    _exit((index + round) % 100);
  }
  int fd = (int)syscall(SYS_pidfd_open, child, 0);
  uint64_t hash = mix((uint64_t)child, (uint64_t)(fd >= 0));
  if (round % 2) hash = mix_result(hash, syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0));
  struct pollfd wanted = {fd, POLLIN, 0};
  hash = mix_result(hash, poll(&wanted, 1, 60000));
  siginfo_t info = {0};
  hash = mix_result(hash, waitid((idtype_t)P_PIDFD, (id_t)fd, &info, WEXITED | WNOWAIT));
  hash = mix(mix(hash, (uint64_t)info.si_code), (uint64_t)info.si_status);
  hash = mix_result(hash, waitid((idtype_t)P_PIDFD, (id_t)fd, &info, WEXITED));
  hash = mix_result(hash, waitid(P_PID, (id_t)child, &info, WEXITED));
  close(fd);
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int round = 0, n = share_of(8); round < n; round++) hash = mix(hash, one_child(index, round));
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
