// Threads that race on a few words. Every write is of another value, and what was read is printed at the end: so a trace of
// all references can be checked to be one of this very execution (run_trace_all.py).
//
//   known_values THREADS STEPS
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWords = 8, kMaxThreads = 16, kSectionEvery = 64 };

// On lines of their own, some together.
static struct {
  _Alignas(64) long word[kWords];
} shared;
static _Atomic long updates;
static long in_section;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int half_way;  // all wait for each other there: they take turns, however they are scheduled
static pthread_mutex_t half_way_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_half_way = PTHREAD_COND_INITIALIZER;
static int threads, steps;

struct Log {
  long* read;  // what each read of a word found, in order
  long* old;   // what each update found
  int reads, olds;
};
static struct Log logs[kMaxThreads];

static void wait_half_way(void) {
  pthread_mutex_lock(&half_way_mutex);
  if (++half_way == threads) pthread_cond_broadcast(&all_half_way);
  while (half_way < threads) pthread_cond_wait(&all_half_way, &half_way_mutex);
  pthread_mutex_unlock(&half_way_mutex);
}

static void* work(void* argument) {
  long self = (long)argument;
  struct Log* log = &logs[self];
  unsigned long random = 88172645463325252ul + (unsigned long)self * 977;
  for (int i = 1; i <= steps; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    long* word = &shared.word[random >> 8 & (kWords - 1)];
    if (random >> 20 & 3) log->read[log->reads++] = *word;
    else *word = self * 1000000 + i;
    if (i % 16 == 0) log->old[log->olds++] = atomic_fetch_add(&updates, 1);
    if (i == steps / 2) wait_half_way();
    if (i % kSectionEvery) continue;
    pthread_mutex_lock(&mutex);
    in_section++;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void print(const char* name, long thread, const long* values, int count) {
  printf("%s %ld", name, thread);
  for (int i = 0; i < count; i++) printf(" %ld", values[i]);
  printf("\n");
}

int main(int argc, char** argv) {
  threads = argc > 1 ? atoi(argv[1]) : 2;
  steps = argc > 2 ? atoi(argv[2]) : 100;
  if (threads < 1 || threads > kMaxThreads) return 2;
  pthread_t handle[kMaxThreads];
  for (long i = 0; i < threads; i++) {
    logs[i].read = malloc(sizeof(long) * (size_t)steps);
    logs[i].old = malloc(sizeof(long) * (size_t)steps);
    pthread_create(&handle[i], NULL, work, (void*)i);
  }
  for (int i = 0; i < threads; i++) pthread_join(handle[i], NULL);
  printf("words %p updates %p section %p %ld\n", (void*)shared.word, (void*)&updates, (void*)&in_section, in_section);
  for (int i = 0; i < threads; i++) {
    print("reads", i, logs[i].read, logs[i].reads);
    print("olds", i, logs[i].old, logs[i].olds);
  }
  return 0;
}
