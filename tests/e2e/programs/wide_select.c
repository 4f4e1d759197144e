/* select with sets as small as their numbers need, beside memory that is not theirs, and with numbers above 1023. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index, words[3] = {5, 0, 7}, large[24] = {0};
  int ends[2];
  if (pipe(ends)) return 0;
  for (int i = 0; i < 20; i++) {
    int writes = (int)(clock() & 1);
    if (writes && write(ends[1], "x", 1) != 1) return 1;
    struct timeval limit = {0, 100};
    int high = index == 0 ? fcntl(ends[0], F_DUPFD, 1100) : -1;
    if (high >= 0) {
      memset(large, 0, sizeof large);
      large[high / 64] |= UINT64_C(1) << (high % 64);
      hash = mix(hash, (uint64_t)syscall(SYS_select, high + 1, large, NULL, NULL, &limit));
      for (int k = 0; k < 24; k++) hash = mix(hash, large[k]);
      close(high);
    } else if (ends[0] < 64) {
      words[1] = UINT64_C(1) << ends[0];
      hash = mix(hash, (uint64_t)syscall(SYS_select, ends[0] + 1, &words[1], NULL, NULL, &limit));
      hash = mix(mix(mix(hash, words[0]), words[1]), words[2]);
      words[2] = hash;
    }
    hash = mix(hash, (uint64_t)limit.tv_usec);
    char byte;
    if (writes && read(ends[0], &byte, 1) != 1) return 2;
  }
  close(ends[0]), close(ends[1]);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
  setrlimit(RLIMIT_NOFILE, &limit);
  run_threads(body);
  print_results();
  return 0;
}
