// What a system call costs: getppid, clock_gettime and a read of one byte, in nanoseconds of the thread's processor time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kRounds = 5 };

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return at.tv_sec * 1e9 + at.tv_nsec;
}

static int zero;
static void ask(void) { getppid(); }
static void look(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
}
static void take(void) {
  char byte;
  if (read(zero, &byte, 1) != 1) abort();
}

static double best_of(void (*call)(void), long calls) {
  double best = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    double begin = now();
    for (long i = 0; i < calls; ++i) call();
    double each = (now() - begin) / calls;
    if (each < best) best = each;
  }
  return best;
}

int main(int count, char** arguments) {
  long calls = count > 1 ? atol(arguments[1]) : 200000;
  zero = open("/dev/zero", O_RDONLY);
  printf("getppid %.1f\n", best_of(ask, calls));
  printf("clock_gettime %.1f\n", best_of(look, calls));
  printf("read %.1f\n", best_of(take, calls));
  return 0;
}
