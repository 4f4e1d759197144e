/* Affinity, priorities, policies, yielding, membarrier: of the thread itself and of others. */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "inputs.h"

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  cpu_set_t set, all;
  hash = mix_result(hash, sched_getaffinity(0, sizeof all, &all));
  int count = CPU_COUNT(&all), chosen = (int)(now() % (uint64_t)count);
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all) && chosen-- == 0) CPU_SET(cpu, &set);
  hash = mix_result(hash, pthread_setaffinity_np(pthread_self(), sizeof set, &set));
  hash = mix(hash, (uint64_t)sched_getcpu());
  unsigned cpu = 0, node = 0;
  hash = mix_result(hash, syscall(SYS_getcpu, &cpu, &node, NULL));
  hash = mix(mix(hash, cpu), node);
  pthread_setaffinity_np(pthread_self(), sizeof all, &all);
  hash = mix_result(hash, pthread_getaffinity_np(pthread_self(), sizeof set, &set));
  hash = mix(hash, (uint64_t)CPU_COUNT(&set));
  struct sched_param parameter = {0};
  int policy = -1;
  hash = mix_result(hash, pthread_getschedparam(pthread_self(), &policy, &parameter));
  hash = mix_result(mix(hash, (uint64_t)policy), pthread_setschedparam(pthread_self(), SCHED_BATCH, &parameter));
  hash = mix_result(hash, sched_getscheduler(0));
  hash = mix_result(hash, sched_get_priority_max(SCHED_FIFO));
  struct timespec slice;
  hash = mix_result(hash, sched_rr_get_interval(0, &slice));
  hash = mix(hash, (uint64_t)slice.tv_nsec);
  hash = mix_result(hash, setpriority(PRIO_PROCESS, (id_t)gettid(), 19));
  hash = mix_result(hash, getpriority(PRIO_PROCESS, 0));
  for (int i = 0; i < 10; i++) sched_yield();
  return mix_result(hash, syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0));
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
