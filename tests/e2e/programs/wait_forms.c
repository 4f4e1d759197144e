/* fork and all forms of waiting: wait4, waitid, WNOHANG, WUNTRACED, killed children, orphans of threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(12); i < n; i++) {
    int gate[2];
    if (pipe(gate) != 0) exit(2);
    pid_t child = fork();
    if (child == 0) {
      char c;
      if (read(gate[0], &c, 1) < 0) _exit(1);
      if (i % 3 == 1) raise(SIGKILL);
      _exit(10 + index % 50);
    }
    int status = 0;
    hash = mix(hash, (uint64_t)waitpid(child, &status, WNOHANG));
    if (write(gate[1], "x", 1) != 1) exit(3);
    close(gate[0]);
    close(gate[1]);
    siginfo_t info = {0};
    struct rusage usage;
    if (i % 2) {
      waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
      hash = mix(hash, (uint64_t)info.si_code * 256 + (uint64_t)info.si_status);
    }
    pid_t ended = wait4(child, &status, 0, &usage);
    hash = mix(hash, (uint64_t)(ended == child) + (uint64_t)status + (uint64_t)child);
    errno = 0;
    hash = mix(hash, (uint64_t)waitpid(child, &status, 0) + (uint64_t)errno);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
