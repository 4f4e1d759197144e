/* fallocate, advice, synchronisation, copies between files. */
#define _GNU_SOURCE
#include <sys/sendfile.h>

#include "inputs.h"

static uint64_t body(int index) {
  char path[PATH_MAX], bytes[200];
  uint64_t hash = 1;
  int from = open(path_in_scratch(path, sizeof path, index, "from"), O_RDWR | O_CREAT, 0600);
  int to = open(path_in_scratch(path, sizeof path, index, "to"), O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < 100; i++) {
    uint64_t value = now();
    if (write(from, &value, sizeof value) != sizeof value) return 1;
  }
  hash = mix_result(hash, fallocate(to, FALLOC_FL_KEEP_SIZE, 0, 8192));
  hash = mix_result(hash, posix_fadvise(from, 0, 0, POSIX_FADV_SEQUENTIAL));
  hash = mix_result(hash, readahead(from, 0, 400));
  off_t at = 10, there = 5;
  hash = mix_result(hash, sendfile(to, from, &at, 100));
  hash = mix_result(mix(hash, (uint64_t)at), copy_file_range(from, &at, to, &there, 300, 0));
  hash = mix(mix(hash, (uint64_t)at), (uint64_t)there);
  lseek(from, 0, SEEK_SET);
  hash = mix_result(hash, sendfile(to, from, NULL, 50));
  hash = mix_result(hash, fsync(to));
  hash = mix_result(hash, fdatasync(to));
  hash = mix_result(hash, sync_file_range(to, 0, 100, SYNC_FILE_RANGE_WRITE));
  hash = mix_result(hash, syncfs(to));
  for (off_t offset = 0; offset < 600; offset += 200)
    hash = mix_bytes(hash, bytes, pread(to, bytes, sizeof bytes, offset));
  hash = mix_result(hash, fallocate(to, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
  close(from), close(to);
  return hash;
}

int main(int argc, char **argv) { return run_in_scratch(argc, argv, body); }
