/* Process and thread ids, and what the kernel says about the process. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "support.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t body(int index) {
  pthread_mutex_lock(&lock);
  printf("thread %d: gettid %d, by syscall %ld, self %lx, pid %d, equal %d\n", index, gettid(), syscall(SYS_gettid),
         (unsigned long)pthread_self(), getpid(), pthread_equal(pthread_self(), pthread_self()));
  pthread_mutex_unlock(&lock);
  return (uint64_t)gettid();
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  struct utsname name;
  char directory[4096], host[256];
  uname(&name);
  gethostname(host, sizeof host);
  printf("pid %d parent %d group %d user %d\n", getpid(), getppid(), getpgrp(), getuid());
  printf("%s %s %s in %s, %ld processors, page %ld\n", name.sysname, name.release, host,
         getcwd(directory, sizeof directory), sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_PAGESIZE));
  print_results();
  return 0;
}
