/* A large file, read by all threads: through descriptors of their own, through a shared one, at places of their choice;
 * while it stays as it is, and while it is being rewritten. */
#include "inputs.h"

enum { kFileBytes = 3 << 20, kBlock = 96 << 10 };

static char path[2 * PATH_MAX];
static int shared_fd;
static pthread_barrier_t phase_line;

static void fill(uint64_t seed) {
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  uint64_t block[512];
  for (int at = 0; at < kFileBytes; at += (int)sizeof block) {
    for (int i = 0; i < 512; i++) block[i] = seed = mix(seed, (uint64_t)(at + i));
    if (pwrite(fd, block, sizeof block, at) != (ssize_t)sizeof block) exit(3);
  }
  close(fd);
}

static uint64_t read_around(int index, uint32_t *state, char *buffer) {
  uint64_t hash = 0;
  int own = open(path, O_RDONLY);
  for (int i = 0, n = share_of(24); i < n; i++) {
    long at = (long)(next_random(state) % kFileBytes);
    size_t size = 1000 + next_random(state) % (kBlock - 1000);
    hash = mix_result(hash, pread(own, buffer, size, at)), hash = mix_bytes(hash, buffer, 64);
    lseek(own, at / 2, SEEK_SET);
    ssize_t got = read(own, buffer, size);
    hash = mix_bytes(mix_result(hash, got), buffer, got < 64 ? got : 64);
    got = read(shared_fd, buffer, size); /* somebody else's offset as well */
    hash = mix_bytes(mix_result(hash, got), buffer, got < 64 ? got : 64);
    if (got == 0) lseek(shared_fd, index, SEEK_SET);
    hash = mix(hash, (uint64_t)lseek(own, 0, SEEK_CUR));
  }
  lseek(own, kFileBytes - 10, SEEK_SET);
  hash = mix_result(hash, read(own, buffer, kBlock)); /* cut off by the end */
  hash = mix_result(hash, read(own, buffer, kBlock)); /* behind it */
  close(own);
  return hash;
}

static uint64_t body(int index) {
  uint32_t state = (uint32_t)(index + 5) * 77u + (uint32_t)now();
  char *buffer = malloc(kBlock);
  uint64_t hash = read_around(index, &state, buffer);
  pthread_barrier_wait(&phase_line);
  if (index == 0) fill(now()); /* while the others read */
  hash = mix(hash, read_around(index, &state, buffer));
  free(buffer);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  make_scratch();
  path_in_scratch(path, sizeof path, 0, "large");
  fill(now());
  shared_fd = open(path, O_RDONLY);
  pthread_barrier_init(&phase_line, NULL, (unsigned)threads);
  run_threads(body);
  print_results();
  close(shared_fd);
  unlink(path);
  remove_scratch();
  return 0;
}
