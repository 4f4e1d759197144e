/* ppoll, pselect and epoll_pwait with masks: signals come only while they wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "support.h"

static volatile int handled, inside;
static volatile uint32_t racing;

static void on_user(int signal) {
  sigset_t set;
  pthread_sigmask(SIG_BLOCK, NULL, &set);
  inside = inside * 2 + sigismember(&set, SIGUSR2);
  handled = handled + signal;
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < 40; i++) {
    kill(getpid(), SIGUSR1);
    racing = racing * 7 + (uint32_t)index;
    hash = mix(hash, racing);
    yield_every(i, 2);
  }
  return hash;
}

static void *stream(void *nothing) {
  run_threads(body);
  return nothing;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  sigset_t blocked, open;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigaddset(&blocked, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &blocked, &open);
  sigaddset(&open, SIGUSR2);
  struct sigaction action = {0};
  action.sa_handler = on_user;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, NULL);
  int ends[2];
  if (pipe(ends) != 0) return 1;
  int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
  pthread_t sender;
  pthread_create(&sender, NULL, stream, NULL);
  int interrupted = 0, others = 0;
  for (int i = 0; i < 60; i++) {
    struct timespec limit = {0, 2000000};
    struct pollfd waiting = {ends[0], POLLIN, 0};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    int result = i % 3 == 0   ? ppoll(&waiting, 1, &limit, &open)
                 : i % 3 == 1 ? pselect(ends[0] + 1, &set, NULL, NULL, &limit, &open)
                              : epoll_pwait(epoll, &event, 1, 2, &open);
    if (result < 0 && errno == EINTR) interrupted++;
    else others++;
  }
  pthread_join(sender, NULL);
  printf("interrupted %d others %d handled %d inside %08x racing %08x\n", interrupted, others, handled, inside, racing);
  print_results();
  return 0;
}
