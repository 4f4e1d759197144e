/* What a process finds out about itself and the machine: ids, limits, usage, /proc, uname, sysconf, load, users. */
#define _GNU_SOURCE
#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/utsname.h>

#include "inputs.h"

static uint64_t file(uint64_t hash, const char *path) {
  char bytes[4096];
  int fd = open(path, O_RDONLY);
  for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;) hash = mix_bytes(hash, bytes, n);
  close(fd);
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  hash = mix(mix(mix(hash, (uint64_t)getpid()), (uint64_t)gettid()), (uint64_t)getppid());
  hash = mix(mix(mix(hash, getuid()), getegid()), (uint64_t)getpgrp() + (uint64_t)getsid(0));
  struct utsname name;
  uname(&name);
  hash = mix_text(mix_text(hash, name.release), name.nodename);
  hash = mix(mix(hash, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN)), (uint64_t)sysconf(_SC_AVPHYS_PAGES));
  double load[3] = {0, 0, 0};
  hash = mix_result(hash, getloadavg(load, 3));
  hash = mix_bytes(hash, load, sizeof load);
  struct rlimit limit;
  for (int i = 0; i < RLIM_NLIMITS; i++)
    if (getrlimit(i, &limit) == 0) hash = mix(mix(hash, limit.rlim_cur), limit.rlim_max);
  limit = (struct rlimit){(rlim_t)(now() % 100 + 100), RLIM_INFINITY};
  struct rlimit old;
  hash = mix_result(hash, prlimit(0, RLIMIT_CORE, NULL, &old));
  hash = mix(hash, old.rlim_cur);
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  hash = mix(mix(hash, (uint64_t)use.ru_utime.tv_usec), (uint64_t)use.ru_maxrss);
  struct tms ticks;
  hash = mix(mix(hash, (uint64_t)times(&ticks)), (uint64_t)ticks.tms_utime);
  hash = mix_result(hash, getpriority(PRIO_PROCESS, 0));
  hash = file(file(file(hash, "/proc/self/stat"), "/proc/uptime"), "/proc/self/status");
  struct passwd entry, *found = NULL;
  char buffer[4096];
  if (getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) == 0 && found) hash = mix_text(hash, entry.pw_dir);
  struct group group, *of = NULL;
  if (getgrgid_r(getgid(), &group, buffer, sizeof buffer, &of) == 0 && of) hash = mix_text(hash, group.gr_name);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
