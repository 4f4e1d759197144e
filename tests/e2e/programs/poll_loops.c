/* poll, ppoll and pselect over pipes that other threads write to; time that is left, nobody who writes. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/select.h>

#include "inputs.h"

static int inboxes[kMaxThreads][2];

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  int next = inboxes[(index + 1) % threads][1], mine = inboxes[index][0];
  sigset_t none;
  sigemptyset(&none);
  for (int i = 0; i < 30; i++) {
    uint64_t value = now();
    if (write(next, &value, sizeof value) != sizeof value) return 1;
    struct pollfd all[3] = {{mine, POLLIN, 0}, {next, POLLOUT, 0}, {-1, POLLIN, 77}};
    struct timespec limit = {0, 500000};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(mine, &set);
    if (i % 3 == 0) hash = mix_result(hash, poll(all, 3, 1));
    if (i % 3 == 1) hash = mix_result(hash, ppoll(all, 3, &limit, &none));
    if (i % 3 == 2) hash = mix_result(hash, pselect(mine + 1, &set, NULL, NULL, &limit, &none));
    for (int k = 0; k < 3; k++) hash = mix(hash, (uint64_t)all[k].revents);
    hash = mix(hash, (uint64_t)FD_ISSET(mine, &set));
    if (all[0].revents & POLLIN) {
      if (read(mine, &value, sizeof value) != sizeof value) return 2;
      hash = mix(hash, value);
    }
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < threads; i++)
    if (pipe(inboxes[i])) return 2;
  run_threads(body);
  print_results();
  return 0;
}
