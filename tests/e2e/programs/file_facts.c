/* stat and its family, statx, access, statfs, times. */
#define _GNU_SOURCE
#include <sys/statfs.h>
#include <sys/time.h>
#include <utime.h>

#include "inputs.h"

static uint64_t body(int index) {
  char path[PATH_MAX];
  uint64_t hash = 1;
  struct stat s;
  struct statx x;
  struct statfs f;
  int fd = open(path_in_scratch(path, sizeof path, index, "f"), O_RDWR | O_CREAT, 0600);
  int directory = open(scratch, O_RDONLY | O_DIRECTORY);
  if (write(fd, path, (size_t)(now() % 50)) < 0) return 1;
  if (stat(path, &s) == 0) hash = mix_stat(hash, &s);
  if (lstat(path, &s) == 0) hash = mix_stat(hash, &s);
  if (fstat(fd, &s) == 0) hash = mix_stat(hash, &s);
  if (fstatat(directory, path, &s, AT_SYMLINK_NOFOLLOW) == 0) hash = mix_stat(hash, &s);
  hash = mix_result(hash, statx(fd, "", AT_EMPTY_PATH, STATX_ALL, &x));
  hash = mix(mix(hash, x.stx_ino), x.stx_mtime.tv_nsec);
  hash = mix_result(hash, stat("/nonexistent", &s));
  hash = mix_result(hash, access(path, R_OK));
  hash = mix_result(hash, faccessat(directory, "missing", F_OK, 0));
  if (statfs(scratch, &f) == 0) hash = mix(hash, (uint64_t)f.f_bfree);
  if (fstatfs(fd, &f) == 0) hash = mix(hash, (uint64_t)f.f_type);
  struct timespec times[2] = {{(time_t)(now() % 1000), 0}, {0, UTIME_NOW}};
  hash = mix_result(hash, futimens(fd, times));
  struct utimbuf both = {5, 6};
  hash = mix_result(hash, utime(path, &both));
  struct timeval old[2] = {{7, 8}, {9, 10}};
  hash = mix_result(hash, utimes(path, old));
  if (fstat(fd, &s) == 0) hash = mix_stat(hash, &s);
  close(fd), close(directory);
  return hash;
}

int main(int argc, char **argv) { return run_in_scratch(argc, argv, body); }
