/* Readers that go away: EPIPE, SIGPIPE with a handler, MSG_NOSIGNAL, resets of sockets. */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support.h"

static volatile int broken;

static void on_pipe(int signal) {
  (void)signal;
  broken = broken + 1;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(60); i < n; i++) {
    int ends[2], pair[2];
    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) exit(2);
    if (write(ends[1], "x", 1) != 1) exit(3);
    close(ends[0]);
    errno = 0;
    hash = mix(hash, (uint64_t)(write(ends[1], "y", 1) + 2) + (uint64_t)errno);
    hash = mix(hash, (uint64_t)broken);
    close(ends[1]);
    if (i % 2) close(pair[0]);
    else shutdown(pair[0], SHUT_RD);
    errno = 0;
    hash = mix(hash, (uint64_t)(send(pair[1], "z", 1, MSG_NOSIGNAL) + 2) + (uint64_t)errno);
    if (i % 2 == 0) close(pair[0]);
    close(pair[1]);
    hash = mix(hash, (uint64_t)index);
    yield_every(i, 10);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  signal(SIGPIPE, on_pipe);
  run_threads(body);
  print_results();
  printf("broken %d\n", broken);
  return 0;
}
