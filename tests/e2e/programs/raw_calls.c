/* System calls by syscall(2) and by instructions of the program's own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static long direct(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

static volatile int racing;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(100); i < n; i++) {
    struct timespec now;
    direct(SYS_clock_gettime, CLOCK_REALTIME, (long)&now, 0);
    hash = mix(hash, (uint64_t)now.tv_nsec);
    hash = mix(hash, (uint64_t)syscall(SYS_gettid) + (uint64_t)direct(SYS_getpid, 0, 0, 0));
    unsigned char bytes[8];
    hash = mix(hash, (uint64_t)syscall(SYS_getrandom, bytes, sizeof bytes, 0) + bytes[0]);
    long fd = syscall(SYS_openat, AT_FDCWD, "/dev/zero", O_RDONLY, 0);
    hash = mix(hash, (uint64_t)direct(SYS_read, fd, (long)bytes, 4) + bytes[1] + bytes[5]);
    direct(SYS_close, fd, 0, 0);
    hash = mix(hash, (uint64_t)direct(SYS_close, 9999, 0, 0)); /* -EBADF */
    if (syscall(SYS_openat, AT_FDCWD, (char *)(intptr_t)(index + 1), O_RDONLY) != -1 || errno != EFAULT) exit(3);
    racing = racing * 5 + index;
    hash = mix(hash, (uint64_t)racing);
    yield_every(i, 12);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  printf("%ld\n", syscall(SYS_getppid) > 0);
  return 0;
}
