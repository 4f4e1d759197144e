/* Coroutines by makecontext and swapcontext, several in each thread; they race, and signals come in between. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#include "support.h"

enum { kCoroutines = 4, kStackBytes = 64 * 1024 };

struct Scheduler {
  ucontext_t home, coroutine[kCoroutines];
  int current, left, ended[kCoroutines];
  uint64_t hash;
};

static volatile uint32_t racing, ticks;

static void on_tick(int signal) {
  (void)signal;
  ticks = ticks + 1;
}

static void yield_to_home(struct Scheduler *all) { swapcontext(&all->coroutine[all->current], &all->home); }

static void work(unsigned low, unsigned high) {
  struct Scheduler *all = (struct Scheduler *)((uintptr_t)low | (uintptr_t)high << 32);
  for (int i = 0; i < 20; i++) {
    racing = racing * 3 + (uint32_t)all->current;
    all->hash = mix(all->hash, racing + (uint32_t)i);
    yield_to_home(all);
  }
  all->ended[all->current] = 1;
  all->left--;
}

static uint64_t body(int index) {
  struct Scheduler all = {0};
  char *stacks[kCoroutines];
  all.left = kCoroutines;
  all.hash = (uint64_t)index;
  for (int i = 0; i < kCoroutines; i++) {
    stacks[i] = malloc(kStackBytes);
    getcontext(&all.coroutine[i]);
    all.coroutine[i].uc_stack.ss_sp = stacks[i];
    all.coroutine[i].uc_stack.ss_size = kStackBytes;
    all.coroutine[i].uc_link = &all.home;
    uintptr_t at = (uintptr_t)&all;
    makecontext(&all.coroutine[i], (void (*)(void))work, 2, (unsigned)at, (unsigned)(at >> 32));
  }
  while (all.left) {
    all.current = (all.current + 1 + (int)(racing & 1)) % kCoroutines;
    while (all.ended[all.current]) all.current = (all.current + 1) % kCoroutines;
    swapcontext(&all.home, &all.coroutine[all.current]);
  }
  for (int i = 0; i < kCoroutines; i++) free(stacks[i]);
  return all.hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  signal(SIGALRM, on_tick);
  struct itimerval interval = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &interval, NULL);
  run_threads(body);
  interval.it_interval.tv_usec = interval.it_value.tv_usec = 0;
  setitimer(ITIMER_REAL, &interval, NULL);
  print_results();
  printf("racing %08x ticks %u\n", racing, ticks);
  return 0;
}
