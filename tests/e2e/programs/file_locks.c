/* flock, locks of records and of open files, with waiting, between threads with descriptors of their own. */
#define _GNU_SOURCE
#include <sys/file.h>

#include "inputs.h"

static char path[PATH_MAX];
static int turns;

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  int fd = open(path, O_RDWR);
  for (int i = 0; i < share_of(80); i++) {
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};
    if (i % 2) {
      hash = mix_result(hash, flock(fd, LOCK_EX));
      hash = mix(hash, (uint64_t)++turns);
      flock(fd, LOCK_UN);
    }
    hash = mix_result(hash, fcntl(fd, F_OFD_SETLKW, &range));
    hash = mix(hash, (uint64_t)++turns);
    struct flock other = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 1};
    hash = mix_result(hash, fcntl(fd, F_GETLK, &other));
    hash = mix(mix(hash, (uint64_t)other.l_type), (uint64_t)other.l_start);
    range.l_type = F_UNLCK;
    fcntl(fd, F_OFD_SETLK, &range);
    hash = mix_result(hash, flock(fd, LOCK_SH | LOCK_NB));
    flock(fd, LOCK_UN);
    hash = mix_result(hash, lockf(fd, F_TEST, 4));
  }
  close(fd);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  make_scratch();
  close(open(path_in_scratch(path, sizeof path, 0, "locked"), O_RDWR | O_CREAT, 0600));
  run_threads(body);
  remove_scratch();
  printf("%d turns\n", turns);
  print_results();
  return 0;
}
