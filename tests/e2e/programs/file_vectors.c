/* readv, writev, preadv, pwritev, preadv2 and pwritev2, from and into parts that other threads look at. */
#define _GNU_SOURCE
#include <sys/uio.h>

#include "inputs.h"

static char shared[4][16];

/* Every byte of 20 MiB, in one call. */
static ssize_t write_much(const char *path) {
  enum { kHalf = 10 << 20 };
  char *all = calloc(1, kHalf);
  struct iovec halves[2] = {{all, kHalf}, {all, kHalf}};
  int fd = open(path, O_WRONLY | O_TRUNC);
  ssize_t written = writev(fd, halves, 2);
  if (written != 2 * kHalf) abort();
  close(fd);
  free(all);
  return written;
}

static uint64_t body(int index) {
  char path[PATH_MAX], a[7], b[40];
  uint64_t hash = 1;
  int fd = open(path_in_scratch(path, sizeof path, index, "f"), O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < 20; i++) {
    uint64_t value[2] = {now(), (uint64_t)i};
    struct iovec out[3] = {{value, 5}, {NULL, 0}, {shared[i % 4], 16}};
    hash = mix_result(hash, i % 2 ? writev(fd, out, 3) : pwritev(fd, out, 3, i * 8));
    struct iovec in[3] = {{a, sizeof a}, {shared[(i + index) % 4], 16}, {b, sizeof b}};
    ssize_t n = i % 3 ? preadv(fd, in, 3, i * 4) : preadv2(fd, in, 3, 0, 0);
    hash = mix_bytes(mix_result(hash, n), shared[i % 4], 16);
    hash = mix_bytes(hash, a, sizeof a);
    hash = mix_result(hash, pwritev2(fd, out, 1, i, RWF_DSYNC));
    yield_every(i, 3);
  }
  lseek(fd, 0, SEEK_SET);
  struct iovec in[2] = {{a, 3}, {b, sizeof b}};
  hash = mix_bytes(hash, b, readv(fd, in, 2) - 3);
  close(fd);
  return index ? hash : mix_result(hash, write_much(path));
}

int main(int argc, char **argv) { return run_in_scratch(argc, argv, body); }
