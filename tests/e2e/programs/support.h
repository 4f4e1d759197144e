/* What the test programs share: the number of threads, starting them together, and a hash of what each of them saw.
 *
 * Every program prints values that depend on the schedule, on addresses or on the time, so that two runs differ; a
 * replay has to print the same ones. Included by C and by C++ programs. */
#ifndef ANAPHORA_TESTS_SUPPORT_H
#define ANAPHORA_TESTS_SUPPORT_H

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <cstdio>
#endif

enum { kMaxThreads = 256 };

/* Returns the hash of what the thread saw. */
typedef uint64_t (*Body)(int index);

static int threads = 2;
static pthread_barrier_t start_line;
static Body thread_body;
static uint64_t results[kMaxThreads];

static inline uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * UINT64_C(0x100000001b3) + 1; }

/* A small generator of the thread's own. */
static inline uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* Lets others in now and then, also where threads outnumber the processors. */
static inline void yield_every(int step, int period) {
  if (step % period == period - 1) sched_yield();
}

static inline int parse_threads(int argc, char **argv) {
  threads = argc > 1 ? atoi(argv[1]) : 2;
  if (threads < 1) threads = 1;
  if (threads > kMaxThreads) threads = kMaxThreads;
  return threads;
}

/* Steps for each thread, so that the total stays about the same. */
static inline int share_of(int total) { return total / threads + 1; }

static void *thread_main(void *argument) {
  int index = (int)(intptr_t)argument;
  pthread_barrier_wait(&start_line);
  results[index] = thread_body(index);
  return NULL;
}

/* Runs `body` in `threads` threads that start together, and waits for them. */
static inline void run_threads(Body body) {
  pthread_t handles[kMaxThreads];
  thread_body = body;
  pthread_barrier_init(&start_line, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++) {
    if (pthread_create(&handles[i], NULL, thread_main, (void *)(intptr_t)i) != 0) {
      fprintf(stderr, "cannot create thread %d\n", i);
      exit(2);
    }
  }
  for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
  pthread_barrier_destroy(&start_line);
}

static inline void print_results(void) {
  for (int i = 0; i < threads; i++) printf("thread %d saw %016" PRIx64 "\n", i, results[i]);
}

#endif
