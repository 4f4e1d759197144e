/* sendfile, splice, tee, copy_file_range and memfd: bytes that never pass through the program, then do. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "support.h"

static int source;

static uint64_t body(int index) {
  uint64_t hash = 0;
  int own = memfd_create("own", MFD_CLOEXEC | MFD_ALLOW_SEALING), ends[2], copy[2];
  if (own < 0 || pipe(ends) != 0 || pipe(copy) != 0) exit(2);
  char text[256];
  for (int i = 0, n = share_of(60); i < n; i++) {
    off_t at = (i * 64) % 1024;
    hash = mix(hash, (uint64_t)sendfile(own, source, &at, 100) + (uint64_t)at);
    loff_t from = (i * 32) % 512;
    ssize_t moved = splice(source, &from, ends[1], NULL, 64, 0);
    hash = mix(hash, (uint64_t)moved);
    hash = mix(hash, (uint64_t)tee(ends[0], copy[1], 64, SPLICE_F_NONBLOCK));
    ssize_t got = read(ends[0], text, sizeof text);
    hash = mix(hash, (uint64_t)got + (uint64_t)text[0]);
    got = read(copy[0], text, sizeof text);
    for (ssize_t k = 0; k < got; k++) hash = mix(hash, (uint64_t)text[k]);
    loff_t in = 0, out = (i % 8) * 64;
    hash = mix(hash, (uint64_t)copy_file_range(own, &in, source, &out, 32, 0));
    if (pwrite(source, &index, 1, (i * 37) % 1024) != 1) exit(3);
    lseek(own, 0, SEEK_SET);
  }
  fcntl(own, F_ADD_SEALS, F_SEAL_WRITE);
  hash = mix(hash, (uint64_t)fcntl(own, F_GET_SEALS) + (uint64_t)(write(own, text, 1) + 1));
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  source = memfd_create("source", 0);
  char block[2048];
  for (size_t i = 0; i < sizeof block; i++) block[i] = (char)('a' + i % 26);
  if (write(source, block, sizeof block) != sizeof block) return 2;
  run_threads(body);
  print_results();
  return 0;
}
