/* Threads on stacks of every kind: sizes from the attributes, memory of the program's own that is unmapped or written
 * after the join, attributes that libc refuses; more threads over the run than there are addresses for at once. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "support.h"

enum { kOwnBytes = 256 << 10, kTotal = 9000 };
int counter;
uint64_t chain;

static int descend(int depth) {
  volatile char local[1000];
  local[depth % 1000] = (char)depth;
  counter++;
  return depth ? descend(depth - 1) + local[depth % 1000] : 0;
}

static void *deep(void *argument) {
  pthread_attr_t attributes;
  void *stack;
  size_t bytes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack, &bytes);
  pthread_attr_destroy(&attributes);
  if (bytes != (size_t)(intptr_t)argument) printf("a stack of %zu bytes\n", bytes);
  chain = mix(chain, (uint64_t)descend((int)(bytes / 4096)) + (uintptr_t)stack);
  return NULL;
}

static void *brief(void *argument) {
  chain = mix(chain, (uint64_t)(intptr_t)argument);
  return NULL;
}

static void start(pthread_t *handle, const pthread_attr_t *attributes, void *(*body)(void *), size_t argument) {
  int error = pthread_create(handle, attributes, body, (void *)argument);
  if (error) {
    printf("pthread_create: %s\n", strerror(error));
    exit(1);
  }
}

static void sizes(void) {
  pthread_t handles[kMaxThreads];
  for (int i = 0; i < threads; i++) {
    size_t bytes = (size_t)(64 << 10) << (i % 11);  /* to 64 MiB */
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    start(&handles[i], &attributes, deep, bytes);
    pthread_attr_destroy(&attributes);
  }
  for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
}

static void own_memory(int round) {
  pthread_t handles[kMaxThreads];
  char *stacks = mmap(NULL, (size_t)threads * kOwnBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < threads; i++) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stacks + (size_t)i * kOwnBytes, kOwnBytes);
    start(&handles[i], &attributes, deep, kOwnBytes);
    pthread_attr_destroy(&attributes);
  }
  for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
  memset(stacks, 1, (size_t)threads * kOwnBytes);
  if (round % 2) munmap(stacks, (size_t)threads * kOwnBytes);
}

static void refused(void) {
  static char small[4096];
  for (int i = 0; i < 2000; i++) {
    pthread_t handle;
    pthread_attr_t attributes;
    struct sched_param none = {0};
    pthread_attr_init(&attributes);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attributes, &none);
    cpu_set_t nowhere;
    CPU_ZERO(&nowhere);
    pthread_attr_setaffinity_np(&attributes, sizeof(nowhere), &nowhere);
    int error = pthread_create(&handle, &attributes, brief, small);
    if (!error) pthread_join(handle, NULL);
    chain = mix(chain, (uint64_t)error);
    pthread_attr_destroy(&attributes);
  }
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  sizes();
  for (int round = 0; round < 4; round++) own_memory(round);
  refused();
  pthread_t handles[kMaxThreads];
  for (int done = 0; done < kTotal; done += threads) {
    for (int i = 0; i < threads; i++) start(&handles[i], NULL, brief, (size_t)(done + i));
    for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
  }
  printf("counter %d chain %016" PRIx64 "\n", counter, chain);
  return 0;
}
