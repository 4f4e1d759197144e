/* Attributes of threads: stacks of given sizes and places, guards, names, clocks, affinity, scheduling. */
#define _GNU_SOURCE
#include <limits.h>
#include <sys/prctl.h>
#include <time.h>

#include "support.h"

static uint64_t body(int index) {
  uint64_t hash = 0;
  char name[16];
  snprintf(name, sizeof name, "worker-%d", index);
  pthread_setname_np(pthread_self(), name);
  for (int i = 0, n = share_of(40); i < n; i++) {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    void *stack;
    size_t size, guard;
    pthread_attr_getstack(&attributes, &stack, &size);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    hash = mix(hash, (uint64_t)((char *)&size >= (char *)stack && (char *)&size < (char *)stack + size) + guard);
    char now[16];
    pthread_getname_np(pthread_self(), now, sizeof now);
    prctl(PR_GET_NAME, name);
    hash = mix(hash, (uint64_t)now[7] + (uint64_t)name[7]);
    cpu_set_t set;
    hash = mix(hash, pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 0);
    clockid_t clock;
    struct timespec used;
    pthread_getcpuclockid(pthread_self(), &clock);
    clock_gettime(clock, &used);
    hash = mix(hash, (uint64_t)used.tv_nsec);
    int policy;
    struct sched_param parameter;
    pthread_getschedparam(pthread_self(), &policy, &parameter);
    hash = mix(hash, (uint64_t)policy);
    yield_every(i, 5);
  }
  return hash;
}

static void *small(void *argument) {
  char room[4096];
  memset(room, (int)(intptr_t)argument, sizeof room);
  return (void *)(intptr_t)room[100];
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 65536);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE);
  pthread_t thread;
  void *result;
  printf("%d\n", pthread_create(&thread, &attributes, small, (void *)(intptr_t)42));
  pthread_join(thread, &result);
  printf("%d\n", (int)(intptr_t)result);
  return 0;
}
