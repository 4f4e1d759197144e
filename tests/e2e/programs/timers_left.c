/* What is left of timers and of time limits: select, timerfd, POSIX timers, interval timers. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static uint64_t of(struct timespec t) { return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }

static uint64_t body(int index) {
  uint64_t hash = 1;
  int ends[2];
  if (pipe(ends) != 0) return 0;
  if (write(ends[1], "x", 1) != 1) return 0;
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  struct timeval limit = {100 + index, 0};
  hash = mix(hash, (uint64_t)select(ends[0] + 1, &set, NULL, NULL, &limit));
  hash = mix(mix(hash, (uint64_t)limit.tv_sec), (uint64_t)limit.tv_usec);
  struct pollfd waiting = {ends[0], POLLIN, 0};
  struct timespec wait = {50, 0};
  syscall(SYS_ppoll, &waiting, 1, &wait, NULL, 8);
  hash = mix(hash, of(wait));

  int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec first = {{0, 0}, {1000, 0}}, old = {{0, 0}, {0, 0}};
  timerfd_settime(fd, 0, &first, NULL);
  timerfd_gettime(fd, &old);
  hash = mix(hash, of(old.it_value));
  timerfd_settime(fd, 0, &first, &old);
  hash = mix(hash, of(old.it_value));
  first.it_value = (struct timespec){0, 1000};
  timerfd_settime(fd, 0, &first, NULL);
  uint64_t times = 0;
  if (read(fd, &times, sizeof times) == sizeof times) hash = mix(hash, times);

  timer_t timer;
  struct sigevent none = {0};
  none.sigev_notify = SIGEV_NONE;
  timer_create(CLOCK_REALTIME, &none, &timer);
  first.it_value = (struct timespec){500, 0};
  timer_settime(timer, 0, &first, NULL);
  timer_gettime(timer, &old);
  hash = mix(hash, of(old.it_value));
  timer_delete(timer);
  if (index == 0) {
    struct itimerval interval = {{0, 0}, {1000, 0}}, left;
    setitimer(ITIMER_REAL, &interval, NULL);
    getitimer(ITIMER_REAL, &left);
    hash = mix(hash, (uint64_t)left.it_value.tv_usec);
    interval.it_value.tv_sec = 0;
    setitimer(ITIMER_REAL, &interval, &left);
    hash = mix(hash, (uint64_t)left.it_value.tv_usec);
  }
  close(fd);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
