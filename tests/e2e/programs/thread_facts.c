/* What threads ask of others, which may have ended: name, processors, clock, priority. */
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

#include "support.h"

static pthread_t member[kMaxThreads];
static pthread_barrier_t all_known;
static sem_t done;  // by each: nobody is joined while others may still ask for it

static uint64_t ask(pthread_t other) {
  char name[16] = "";
  cpu_set_t processors;
  clockid_t clock;
  struct timespec used = {0};
  struct sched_param parameters = {0};
  int policy = 0;
  uint64_t hash = mix((uint64_t)pthread_getname_np(other, name, sizeof name), (uint64_t)name[1]);
  CPU_ZERO(&processors);
  hash = mix(hash, (uint64_t)pthread_getaffinity_np(other, sizeof processors, &processors));
  hash = mix(hash, (uint64_t)CPU_COUNT(&processors));
  int result = pthread_getcpuclockid(other, &clock);
  if (!result) result = clock_gettime(clock, &used);
  hash = mix(mix(hash, (uint64_t)result), (uint64_t)used.tv_nsec);
  hash = mix(hash, (uint64_t)pthread_getschedparam(other, &policy, &parameters));
  return mix(hash, (uint64_t)(policy + parameters.sched_priority));
}

static void *body(void *argument) {
  int index = (int)(intptr_t)argument;
  char name[16];
  uint64_t hash = 0;
  member[index] = pthread_self();
  snprintf(name, sizeof name, "m%d", index);
  pthread_setname_np(pthread_self(), name);
  pthread_barrier_wait(&all_known);
  for (int i = 0; i < 30; i++) {
    hash = mix(hash, ask(member[(index + i) % threads]));
    if (i % 10 == 9) hash = mix(hash, (uint64_t)pthread_setname_np(member[(index + 1) % threads], "other"));
    for (volatile int turn = 0; turn < 20 * index; turn++) continue;  // so that some end much earlier
  }
  results[index] = hash;
  sem_post(&done);
  return NULL;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_barrier_init(&all_known, NULL, (unsigned)threads);
  sem_init(&done, 0, 0);
  pthread_t started[kMaxThreads];
  for (int i = 0; i < threads; i++) pthread_create(&started[i], NULL, body, (void *)(intptr_t)i);
  for (int i = 0; i < threads; i++) sem_wait(&done);
  for (int i = 0; i < threads; i++) pthread_join(started[i], NULL);
  print_results();
  return 0;
}
