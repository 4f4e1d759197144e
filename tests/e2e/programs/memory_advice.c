/* What programs tell the kernel about memory and files, and what it tells them: advice, locks, residence, protection. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "inputs.h"

enum { kPages = 16, kPage = 4096 };

static uint64_t of_memory(uint64_t hash) {
  char *area = mmap(NULL, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < kPages; i += 3) area[i * kPage] = (char)(i + 1);
  unsigned char present[kPages];
  hash = mix_result(hash, mincore(area, kPages * kPage, present));
  hash = mix_bytes(hash, present, kPages);
  hash = mix_result(hash, mlock(area, 4 * kPage));
  hash = mix_result(hash, madvise(area, kPages * kPage, MADV_WILLNEED));
  hash = mix_result(hash, munlock(area, 4 * kPage));
  hash = mix_result(hash, madvise(area + 3 * kPage, 3 * kPage, MADV_DONTNEED)); /* it is zero again */
  hash = mix_result(hash, mprotect(area + 8 * kPage, kPage, PROT_READ));
  for (int i = 0; i < kPages; i++) hash = mix(hash, (uint64_t)area[i * kPage]);
  hash = mix(hash, (uint64_t)(uintptr_t)area);
  munmap(area, kPages * kPage);
  return hash;
}

static uint64_t of_files(uint64_t hash, int index) {
  char path[2 * PATH_MAX];
  int fd = open(path_in_scratch(path, sizeof path, index, "advised"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  char block[kPage];
  for (int i = 0; i < 8; i++) {
    memset(block, index + i + (int)(now() % 50), sizeof block);
    hash = mix_result(hash, write(fd, block, sizeof block));
  }
  hash = mix(hash, (uint64_t)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
  hash = mix_result(hash, readahead(fd, 0, 4 * kPage));
  hash = mix_result(hash, sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE));
  char *map = mmap(NULL, 8 * kPage, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map != MAP_FAILED) {
    hash = mix_result(hash, madvise(map, 8 * kPage, MADV_SEQUENTIAL));
    hash = mix_bytes(hash, map, 8 * kPage);
    hash = mix_result(hash, msync(map, 8 * kPage, MS_ASYNC));
    munmap(map, 8 * kPage);
  }
  close(fd);
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = now();
  for (int i = 0, n = share_of(12); i < n; i++) hash = of_files(of_memory(hash), index);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  make_scratch();
  run_threads(body);
  print_results();
  remove_scratch();
  return 0;
}
