/* eventfd as counter and semaphore, timerfd, signalfd, each shared by threads. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "inputs.h"

static int counter, semaphore, signals;

static uint64_t timers(uint64_t hash) {
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct itimerspec every = {{0, 300000}, {0, 200000}}, left, old;
  hash = mix_result(hash, timerfd_settime(timer, 0, &every, &old));
  uint64_t expired;
  for (int i = 0; i < 4; i++) {
    hash = mix_bytes(hash, &expired, read(timer, &expired, sizeof expired));
    timerfd_gettime(timer, &left);
    hash = mix(hash, (uint64_t)left.it_value.tv_nsec);
  }
  close(timer);
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = timers((uint64_t)index);
  for (int i = 0; i < share_of(200); i++) {
    eventfd_t value = 0;
    eventfd_write(counter, now() % 7 + 1);
    hash = mix_result(hash, eventfd_read(counter, &value));
    hash = mix(hash, value);
    eventfd_write(semaphore, 1);
    hash = mix_result(hash, eventfd_read(semaphore, &value));
  }
  struct signalfd_siginfo info;
  union sigval with = {.sival_int = (int)(now() & 0xffff)};
  sigqueue(getpid(), SIGRTMIN + 3, with);
  hash = mix_result(hash, read(signals, &info, sizeof info));
  return mix(mix(hash, info.ssi_signo), (uint64_t)info.ssi_int);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 3);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  counter = eventfd(0, EFD_NONBLOCK), semaphore = eventfd(0, EFD_SEMAPHORE), signals = signalfd(-1, &set, SFD_CLOEXEC);
  run_threads(body);
  print_results();
  return 0;
}
