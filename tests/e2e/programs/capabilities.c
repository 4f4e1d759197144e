/* What a process may do and is limited to: capabilities, prctl, rlimits, scheduling, memory policies. */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  struct __user_cap_header_struct header = {0, 0};
  struct __user_cap_data_struct data[2] = {{0, 0, 0}};
  syscall(SYS_capget, &header, NULL);  /* says which version the kernel likes */
  hash = mix(hash, header.version);
  header.version = _LINUX_CAPABILITY_VERSION_3;
  hash = mix(hash, (uint64_t)syscall(SYS_capget, &header, data));
  hash = mix(mix(hash, data[0].effective), data[1].permitted);
  char name[16];
  snprintf(name, sizeof name, "t%ld", (long)clock());
  prctl(PR_SET_NAME, name);
  prctl(PR_GET_NAME, name);
  for (char *c = name; *c; c++) hash = mix(hash, (unsigned char)*c);
  int value = 0;
  prctl(PR_GET_PDEATHSIG, &value);
  hash = mix(hash, (uint64_t)value);
  hash = mix(hash, (uint64_t)prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  hash = mix(hash, (uint64_t)prctl(PR_GET_SECUREBITS));
  hash = mix(hash, (uint64_t)prctl(PR_GET_TIMERSLACK));
  unsigned long nodes[2] = {0, 11};
  int mode = -1;
  hash = mix(hash, (uint64_t)syscall(SYS_get_mempolicy, &mode, nodes, 65, NULL, 0));
  hash = mix(mix(mix(hash, (uint64_t)mode), nodes[0]), nodes[1]);
  struct timex clock_state = {0};
  hash = mix(hash, (uint64_t)adjtimex(&clock_state));
  hash = mix(hash, (uint64_t)clock_state.time.tv_usec);
  struct rusage use;
  getrusage(RUSAGE_THREAD, &use);
  hash = mix(hash, (uint64_t)use.ru_utime.tv_usec);
  cpu_set_t set;
  hash = mix(hash, (uint64_t)sched_getaffinity(0, sizeof set, &set));
  hash = mix(mix(hash, (uint64_t)CPU_COUNT(&set)), (uint64_t)sched_getcpu());
  gid_t groups[2] = {77, 78};
  hash = mix(mix(hash, (uint64_t)getgroups(0, groups)), groups[0]);  /* only asks */
  struct sysinfo info;
  sysinfo(&info);
  return mix(hash, info.freeram);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
