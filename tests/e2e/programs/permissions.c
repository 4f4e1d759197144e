/* Modes, owners, masks, devices, and what is denied. */
#define _GNU_SOURCE
#include <sys/sysmacros.h>

#include "inputs.h"

static uint64_t body(int index) {
  char path[PATH_MAX];
  uint64_t hash = (uint64_t)index;
  struct stat s;
  int fd = open(path_in_scratch(path, sizeof path, index, "f"), O_RDWR | O_CREAT, 0666);
  for (int i = 0; i < 8; i++) {
    mode_t mode = (mode_t)(now() & 0777);
    hash = mix_result(hash, i % 2 ? chmod(path, mode) : fchmod(fd, mode));
    if (fstat(fd, &s) == 0) hash = mix_stat(hash, &s);
  }
  hash = mix_result(hash, chown(path, getuid(), getgid()));
  hash = mix_result(hash, fchown(fd, (uid_t)-1, (gid_t)-1));
  hash = mix_result(hash, lchown("/nonexistent", 0, 0));
  int null = open("/dev/null", O_RDWR);
  if (fstat(null, &s) == 0) hash = mix(mix(hash, major(s.st_rdev)), minor(s.st_rdev));
  hash = mix_result(hash, write(null, path, 10));
  hash = mix_result(hash, read(null, path, 10));
  hash = mix_result(hash, fsync(null));
  hash = mix_result(hash, open("/", O_WRONLY));
  hash = mix_result(hash, open("/etc/hostname/x", O_RDONLY));
  close(fd), close(null);
  return hash;
}

int main(int argc, char **argv) {
  mode_t old = umask(027);
  int result = run_in_scratch(argc, argv, body);
  printf("masks %o %o\n", old, umask(old));
  return result;
}
