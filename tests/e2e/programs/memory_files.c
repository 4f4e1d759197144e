/* memfd_create with seals, shared mappings of it and of shm_open's, written through by threads. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "inputs.h"

static uint64_t *shared;

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  char name[32];
  snprintf(name, sizeof name, "anaphora-%d", index);
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, 8192)) return 1;
  uint64_t *mine = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  for (int i = 0; i < 200; i++) {
    mine[i] = now() ^ shared[(index + i) % 512];
    shared[i % 512] += mine[i];
    yield_every(i, 50);
  }
  hash = mix_bytes(hash, mine, 1600);
  hash = mix_result(hash, msync(mine, 8192, MS_SYNC));
  munmap(mine, 8192);
  hash = mix_result(hash, fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
  hash = mix_result(hash, fcntl(fd, F_GET_SEALS));
  hash = mix_result(hash, ftruncate(fd, 100));
  close(fd);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  char name[64];
  snprintf(name, sizeof name, "/anaphora-%d", (int)getpid());
  int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0 || ftruncate(fd, 4096)) return 2;
  shm_unlink(name);
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  run_threads(body);
  printf("%016" PRIx64 " at %p\n", mix_bytes(1, shared, 4096), (void *)shared);
  print_results();
  return 0;
}
