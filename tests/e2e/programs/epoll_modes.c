/* epoll: level, edge and one-shot, several threads that wait at one, changes meanwhile. */
#define _GNU_SOURCE
#include <sys/epoll.h>

#include "inputs.h"

static int common, sources[8][2];

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < share_of(200); i++) {
    int which = (int)(now() % 8);
    char byte = (char)i;
    if (write(sources[which][1], &byte, 1) != 1) return 1;
    struct epoll_event events[4];
    int n = i % 2 ? epoll_wait(common, events, 4, 1) : epoll_pwait(common, events, 1 + i % 4, 0, NULL);
    hash = mix_result(hash, n);
    for (int k = 0; k < n; k++) {
      char got[5];
      int from = events[k].data.fd;
      hash = mix(mix(hash, events[k].events), (uint64_t)from);
      hash = mix_bytes(hash, got, read(sources[from][0], got, sizeof got));
      struct epoll_event again = {EPOLLIN | EPOLLONESHOT, {.fd = from}};
      if (from % 3 == 2) hash = mix_result(hash, epoll_ctl(common, EPOLL_CTL_MOD, sources[from][0], &again));
    }
  }
  hash = mix_result(hash, epoll_ctl(common, EPOLL_CTL_DEL, 0, NULL));
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  common = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < 8; i++) {
    if (pipe2(sources[i], O_NONBLOCK)) return 2;
    uint32_t mode = i % 3 == 0 ? EPOLLIN : i % 3 == 1 ? EPOLLIN | EPOLLET : EPOLLIN | EPOLLONESHOT;
    struct epoll_event event = {mode, {.fd = i}};
    epoll_ctl(common, EPOLL_CTL_ADD, sources[i][0], &event);
  }
  run_threads(body);
  print_results();
  return 0;
}
