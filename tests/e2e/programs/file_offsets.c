/* lseek in all its ways, pread and pwrite, truncation, holes. */
#define _GNU_SOURCE
#include "inputs.h"

static uint64_t body(int index) {
  char path[PATH_MAX], bytes[64];
  uint64_t hash = 1, value;
  int fd = open(path_in_scratch(path, sizeof path, index, "f"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (int i = 0; i < 20; i++) {
    value = now();
    hash = mix_result(hash, pwrite(fd, &value, sizeof value, (off_t)(value % 5000)));
    hash = mix_result(hash, lseek(fd, (off_t)(value % 100), i % 3 == 0 ? SEEK_SET : i % 3 == 1 ? SEEK_CUR : SEEK_END));
    hash = mix_result(hash, write(fd, &value, 3));
    ssize_t n = pread(fd, bytes, sizeof bytes, (off_t)(value % 5000));
    hash = mix_bytes(hash, bytes, n);
    if (i % 7 == 6) hash = mix_result(hash, ftruncate(fd, (off_t)(value % 4000)));
  }
  hash = mix_result(hash, ftruncate(fd, 1 << 20));
  hash = mix_result(hash, lseek(fd, 0, SEEK_DATA));
  hash = mix_result(hash, lseek(fd, 0, SEEK_HOLE));
  hash = mix_result(hash, lseek(fd, -5, SEEK_SET));
  close(fd);
  hash = mix_result(hash, truncate(path, 10));
  return mix_result(hash, read(fd, bytes, 1));
}

int main(int argc, char **argv) { return run_in_scratch(argc, argv, body); }
