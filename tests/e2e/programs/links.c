/* Hard and symbolic links, and what is found through them. */
#define _GNU_SOURCE
#include "inputs.h"

static uint64_t body(int index) {
  char file[PATH_MAX], hard[PATH_MAX], soft[PATH_MAX], seen[PATH_MAX];
  uint64_t hash = 1, value = now();
  path_in_scratch(file, sizeof file, index, "f"), path_in_scratch(hard, sizeof hard, index, "hard");
  path_in_scratch(soft, sizeof soft, index, "soft");
  int fd = open(file, O_RDWR | O_CREAT, 0600);
  if (write(fd, &value, sizeof value) != sizeof value) return 1;
  hash = mix_result(hash, link(file, hard));
  hash = mix_result(hash, symlink(file, soft));
  hash = mix_result(hash, symlinkat("nowhere", AT_FDCWD, soft));
  hash = mix_bytes(hash, seen, readlink(soft, seen, sizeof seen));
  hash = mix_bytes(hash, seen, readlink(soft, seen, 3));
  hash = mix_result(hash, readlink(file, seen, sizeof seen));
  hash = mix_bytes(hash, seen, readlinkat(AT_FDCWD, "/proc/self/cwd", seen, sizeof seen));
  int through = open(soft, O_RDONLY);
  hash = mix_bytes(hash, seen, read(through, seen, sizeof seen));
  hash = mix_result(hash, open(soft, O_RDONLY | O_NOFOLLOW));
  struct stat s;
  if (lstat(soft, &s) == 0) hash = mix_stat(hash, &s);
  if (fstat(fd, &s) == 0) hash = mix_stat(hash, &s);
  if (realpath(soft, seen)) hash = mix_text(hash, seen);
  hash = mix_result(hash, unlink(file));
  hash = mix_result(hash, access(hard, F_OK));
  hash = mix_result(hash, access(soft, F_OK));
  close(fd), close(through);
  return hash;
}

int main(int argc, char **argv) { return run_in_scratch(argc, argv, body); }
