/* Timers that send signals: setitimer, alarm, timer_create with a value, while threads compute and race. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static volatile uint32_t work, ticks, fires, alarms;
static volatile uint64_t seen;
static int done;

static void on_tick(int signal) {
  (void)signal;
  ticks = ticks + 1;
  seen = mix(seen, work);
}

static void on_fire(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  fires = fires + 1;
  seen = mix(seen, work + (uint32_t)info->si_value.sival_int + (info->si_code == SI_TIMER));
}

static void on_alarm(int signal) {
  (void)signal;
  alarms = alarms + 1;
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
    for (int i = 0; i < 500; i++) work = work * 3 + (uint32_t)i;
    hash = mix(hash, ticks * 64 + fires);
    if (ticks >= 8 && fires >= 10) __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    sched_yield();
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  struct sigaction action = {0};
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGVTALRM, &action, NULL);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  action.sa_sigaction = on_fire;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGRTMIN + 1, &action, NULL);
  struct itimerval interval = {{0, 2000}, {0, 1000}};
  setitimer(ITIMER_VIRTUAL, &interval, NULL);
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN + 1;
  event.sigev_value.sival_int = 4711;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec every = {{0, 2000000}, {0, 1000000}};
  timer_settime(timer, 0, &every, NULL);
  run_threads(body);
  timer_delete(timer);
  interval.it_interval.tv_usec = interval.it_value.tv_usec = 0;
  setitimer(ITIMER_VIRTUAL, &interval, NULL);
  struct itimerval once = {{0, 0}, {0, 3000}};
  setitimer(ITIMER_REAL, &once, NULL);
  while (!alarms) pause();
  print_results();
  printf("ticks %u fires %u alarms %u seen %016" PRIx64 "\n", ticks, fires, alarms, seen);
  return 0;
}
