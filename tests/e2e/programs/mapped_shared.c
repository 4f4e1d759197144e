/* Files mapped shared and private, read back through the mapping; mremap, msync, mincore, mlock. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "inputs.h"

static uint64_t body(int index) {
  char path[PATH_MAX];
  uint64_t hash = 1, value[512];
  int fd = open(path_in_scratch(path, sizeof path, index, "f"), O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < 512; i++) value[i] = now();
  for (int i = 0; i < 3; i++)
    if (write(fd, value, sizeof value) != sizeof value) return 1;
  char *shared = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  char *tail = mmap(NULL, 100, PROT_READ, MAP_PRIVATE, fd, 4096);
  hash = mix_bytes(mix_bytes(hash, shared, 300), tail, 100);
  memcpy(shared + 5000, value, 500);
  hash = mix_result(hash, msync(shared, 12288, MS_ASYNC));
  hash = mix_result(hash, mlock(shared, 4096));
  hash = mix_bytes(hash, shared + 4990, 50);
  char *anonymous = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(anonymous, value, 4096);
  char *grown = mremap(anonymous, 8192, 65536, MREMAP_MAYMOVE);
  hash = mix(mix_bytes(hash, grown, 1000), (uint64_t)(uintptr_t)grown);
  grown = mremap(grown, 65536, 4096, 0);
  hash = mix_bytes(hash, grown, 4096);
  madvise(grown, 4096, MADV_DONTNEED);
  hash = mix_bytes(hash, grown, 64);
  munmap(grown, 4096), munmap(tail, 100), munmap(shared, 12288);
  close(fd);
  return hash;
}

int main(int argc, char **argv) { return run_in_scratch(argc, argv, body); }
