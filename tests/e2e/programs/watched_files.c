/* inotify, extended attributes, splice and tee, mincore, each with what differs from run to run. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static char directory[] = "/tmp/anaphora-watched-XXXXXX";

static uint64_t of_bytes(uint64_t hash, const char *bytes, ssize_t n) {
  for (ssize_t i = 0; i < n; i++) hash = mix(hash, (unsigned char)bytes[i]);
  return mix(hash, (uint64_t)n);
}

static uint64_t attributes(uint64_t hash, const char *path) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  char value[64], names[256];
  int set = setxattr(path, "user.time", &t, sizeof t, 0);
  hash = mix(hash, (uint64_t)set);
  hash = of_bytes(hash, value, getxattr(path, "user.time", value, sizeof value));
  return of_bytes(hash, names, listxattr(path, names, sizeof names));
}

static uint64_t pipes(uint64_t hash) {
  int a[2], b[2];
  char bytes[64];
  if (pipe(a) != 0 || pipe(b) != 0) return 0;
  int n = snprintf(bytes, sizeof bytes, "%ld", (long)clock());
  if (write(a[1], bytes, (size_t)n) != n) return 0;
  hash = mix(hash, (uint64_t)tee(a[0], b[1], 64, 0));
  hash = of_bytes(hash, bytes, read(b[0], bytes, sizeof bytes));
  hash = mix(hash, (uint64_t)splice(a[0], NULL, b[1], NULL, 64, 0));
  hash = of_bytes(hash, bytes, read(b[0], bytes, sizeof bytes));
  for (int i = 0; i < 2; i++) close(a[i]), close(b[i]);
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = 1;
  char path[PATH_MAX], seen[4096];
  int watch = inotify_init1(IN_CLOEXEC);
  hash = mix(hash, (uint64_t)inotify_add_watch(watch, directory, IN_CREATE | IN_DELETE));
  for (int i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "%s/%d-%d", directory, index, i);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (i == 0) hash = attributes(hash, path);
    close(fd);
    unlink(path);
    yield_every(i, 2);
  }
  hash = of_bytes(hash, seen, read(watch, seen, sizeof seen));
  hash = pipes(hash);
  unsigned char pages[8];
  char *map = mmap(NULL, sizeof pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  map[4096 * (clock() & 7)] = 1;
  if (mincore(map, sizeof pages * 4096, pages) == 0) hash = of_bytes(hash, (char *)pages, sizeof pages);
  munmap(map, sizeof pages * 4096);
  close(watch);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  if (!mkdtemp(directory)) return 1;
  run_threads(body);
  rmdir(directory);
  printf("%s\n", directory);
  print_results();
  return 0;
}
