/* mmap in all its forms, mremap, mprotect, madvise, mincore, msync, shared anonymous memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support.h"

static uint32_t *shared;

static uint64_t body(int index) {
  uint64_t hash = 0;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (int i = 0, n = share_of(60); i < n; i++) {
    size_t bytes = page * (size_t)(1 + i % 5);
    char *own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (i % 2 ? MAP_POPULATE : 0), -1, 0);
    if (own == MAP_FAILED) exit(2);
    memset(own, index + i, bytes);
    own = mremap(own, bytes, bytes * 2, MREMAP_MAYMOVE);
    hash = mix(hash, (uint64_t)(uintptr_t)own + (uint64_t)own[bytes - 1] + (uint64_t)own[bytes]);
    mprotect(own, page, PROT_READ);
    hash = mix(hash, (uint64_t)own[0]);
    madvise(own + page, page, MADV_DONTNEED);
    hash = mix(hash, (uint64_t)own[page]);
    munmap(own + page, bytes * 2 - page);
    munmap(own, page);
    shared[i % 64] += (uint32_t)index + 1;
    hash = mix(hash, shared[(i * 7) % 64]);
    errno = 0;
    hash = mix(hash, mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? (uint64_t)errno : 0);
    yield_every(i, 8);
  }
  return hash;
}

/* Little more memory than there is. */
static void exhaust(void) {
  struct rlimit before, few;
  getrlimit(RLIMIT_AS, &before);
  few = before;
  few.rlim_cur = 1 << 20;
  setrlimit(RLIMIT_AS, &few);
  int blocks = 0;
  static char *volatile kept[64];  /* or the compiler leaves them out */
  while (blocks < 64 && (kept[blocks] = malloc(1 << 30))) blocks++;
  int maps = 0;
  while (maps < 64 && mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) maps++;
  int error = errno;
  setrlimit(RLIMIT_AS, &before);
  printf("without memory: %d blocks and %d maps, %s; then %d\n", blocks, maps, strerror(error),
         (kept[0] = malloc(8 << 20)) != NULL);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  run_threads(body);
  print_results();
  printf("sync %d\n", msync(shared, 4096, MS_SYNC));
  printf("all locked %d %d, nonsense %d\n", mlockall(MCL_CURRENT | MCL_FUTURE), munlockall(), mlockall(1 << 20));
  printf("one locked %d %d\n", mlock(shared, 4096), munlock(shared, 4096));
  exhaust();
  char *fixed = mmap((void *)(uintptr_t)shared, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  printf("cleared %d\n", fixed[0]);
  return 0;
}
