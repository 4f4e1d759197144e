/* Threads with a policy and a priority of their own, made by threads of which the C library knows some of its own scheduling,
 * because somebody has asked or set it, and by threads of which it does not. */
#define _GNU_SOURCE
#include <sched.h>

#include "support.h"

static pthread_barrier_t all_known;
static pthread_t member[kMaxThreads];

static void *seen(void *argument) {
  pthread_attr_t attributes;
  struct sched_param parameters = {0};
  int policy = -1, inherits = -1;
  cpu_set_t processors;
  uint64_t hash = (uint64_t)pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getschedpolicy(&attributes, &policy);
  pthread_attr_getschedparam(&attributes, &parameters);
  pthread_attr_getinheritsched(&attributes, &inherits);
  pthread_attr_getaffinity_np(&attributes, sizeof processors, &processors);
  pthread_attr_destroy(&attributes);
  hash = mix(mix(hash, (uint64_t)policy), (uint64_t)parameters.sched_priority);
  hash = mix(mix(hash, (uint64_t)inherits), (uint64_t)CPU_COUNT(&processors));
  hash = mix(hash, (uint64_t)pthread_getschedparam(pthread_self(), &policy, &parameters));
  *(uint64_t *)argument = mix(mix(hash, (uint64_t)policy), (uint64_t)parameters.sched_priority);
  return NULL;
}

/* The first processor that this thread may use. */
static cpu_set_t one_processor(void) {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  sched_getaffinity(0, sizeof all, &all);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  return one;
}

/* `chosen`: 1 a policy, 2 a priority, 4 processors. A policy that is not allowed makes no thread. */
static uint64_t create(int chosen, int policy, int priority) {
  pthread_attr_t attributes;
  struct sched_param parameters = {.sched_priority = priority};
  cpu_set_t one = one_processor();
  uint64_t hash = 0;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  if (chosen & 1) hash = mix(hash, (uint64_t)pthread_attr_setschedpolicy(&attributes, policy));
  if (chosen & 2) hash = mix(hash, (uint64_t)pthread_attr_setschedparam(&attributes, &parameters));
  if (chosen & 4) hash = mix(hash, (uint64_t)pthread_attr_setaffinity_np(&attributes, sizeof one, &one));
  uint64_t inside = 0;
  int result = pthread_create(&thread, &attributes, seen, &inside);
  if (result == 0) pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  return mix(mix(hash, (uint64_t)result), inside);
}

/* What the C library keeps of the thread afterwards. */
static uint64_t touch(pthread_t whose, int how) {
  struct sched_param parameters = {0};
  int policy = 0;
  switch (how % 5) {
    case 1: return (uint64_t)pthread_getschedparam(whose, &policy, &parameters);
    case 2: return (uint64_t)pthread_setschedparam(whose, SCHED_BATCH, &parameters);
    case 3: return (uint64_t)pthread_setschedprio(whose, 0);
    case 4: return (uint64_t)pthread_setschedparam(whose, SCHED_OTHER, &parameters);
  }
  return 0;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  member[index] = pthread_self();
  pthread_barrier_wait(&all_known);
  for (int i = 0, n = share_of(30); i < n; i++) {
    hash = mix(hash, touch(pthread_self(), index + i));
    hash = mix(hash, touch(member[(index + 1) % threads], i));
    for (int chosen = 0; chosen < 8; chosen++) hash = mix(hash, create(chosen, SCHED_OTHER, 0));
    hash = mix(mix(hash, create(3, SCHED_FIFO, 1)), (uint64_t)sched_getscheduler(0));
    hash = mix(mix(hash, create(2, SCHED_OTHER, 99)), (uint64_t)sched_getscheduler(0));
    hash = mix(mix(hash, (uint64_t)pthread_setconcurrency(index)), (uint64_t)(pthread_getconcurrency() >= 0));
  }
  pthread_barrier_wait(&all_known);  // nobody is joined while others may still ask for it
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_barrier_init(&all_known, NULL, (unsigned)threads);
  uint64_t own = 0;
  seen(&own);
  printf("%016" PRIx64 " %016" PRIx64 "\n", own, mix(create(2, 0, 0), touch(pthread_self(), 1)));
  printf("%016" PRIx64 "\n", create(2, 0, 0));
  run_threads(body);
  print_results();
  return 0;
}
