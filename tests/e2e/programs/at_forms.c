/* The forms of calls that take a directory: openat, mkdirat, renameat2, linkat, fchmodat, fchownat, utimensat ... */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>

#include "inputs.h"

static uint64_t body(int index) {
  char name[64], other[64];
  uint64_t hash = 1;
  int directory = open(scratch, O_PATH | O_DIRECTORY);
  snprintf(name, sizeof name, "%d-%x", index, (unsigned)(now() & 0xffff));
  snprintf(other, sizeof other, "%d-other", index);
  int fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL, 0644);
  hash = mix_result(mix(hash, (uint64_t)fd), openat(directory, name, O_RDWR | O_CREAT | O_EXCL, 0644));
  hash = mix_result(hash, fchmodat(directory, name, 0600, 0));
  hash = mix_result(hash, fchownat(directory, name, (uid_t)-1, (gid_t)-1, AT_SYMLINK_NOFOLLOW));
  struct timespec times[2] = {{3, 4}, {5, 6}};
  hash = mix_result(hash, utimensat(directory, name, times, 0));
  hash = mix_result(hash, linkat(directory, name, directory, other, 0));
  hash = mix_result(hash, renameat2(directory, name, directory, other, RENAME_NOREPLACE));
  hash = mix_result(hash, renameat2(directory, name, directory, other, RENAME_EXCHANGE));
  hash = mix_result(hash, renameat(directory, name, directory, "same"));
  hash = mix_result(hash, faccessat(directory, name, W_OK, AT_EACCESS));
  struct stat s;
  if (fstatat(directory, other, &s, 0) == 0) hash = mix_stat(hash, &s);
  hash = mix_result(hash, mkdirat(directory, name, 0700));
  hash = mix_result(hash, mkfifoat(directory, "fifo", 0600));
  hash = mix_result(hash, unlinkat(directory, name, AT_REMOVEDIR));
  hash = mix_result(hash, unlinkat(directory, other, 0));
  struct { uint64_t flags, mode, resolve; } how = {O_RDONLY, 0, 0};
  hash = mix_result(hash, syscall(SYS_openat2, directory, "missing", &how, sizeof how));
  close(fd), close(directory);
  return hash;
}

int main(int argc, char **argv) { return run_in_scratch(argc, argv, body); }
