/* Pipes and FIFOs: sizes, non-blocking ends, EPIPE, several writers and readers. */
#define _GNU_SOURCE
#include <signal.h>

#include "inputs.h"

static int common[2];

static uint64_t fifo(uint64_t hash, int index) {
  char path[PATH_MAX], bytes[64];
  hash = mix_result(hash, mkfifo(path_in_scratch(path, sizeof path, index, "fifo"), 0600));
  hash = mix_result(hash, open(path, O_WRONLY | O_NONBLOCK));
  int in = open(path, O_RDONLY | O_NONBLOCK), out = open(path, O_WRONLY);
  hash = mix_result(hash, read(in, bytes, sizeof bytes));
  hash = mix_result(hash, write(out, path, now() % 50 + 1));
  hash = mix_bytes(hash, bytes, read(in, bytes, sizeof bytes));
  close(out);
  hash = mix_result(hash, read(in, bytes, sizeof bytes));
  close(in);
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = fifo((uint64_t)index, index), value;
  int ends[2];
  if (pipe2(ends, O_NONBLOCK | O_CLOEXEC)) return 1;
  hash = mix_result(hash, fcntl(ends[1], F_SETPIPE_SZ, 4096));
  hash = mix_result(hash, fcntl(ends[0], F_GETPIPE_SZ));
  char bytes[1000] = "";
  long n, total = 0;
  while ((n = write(ends[1], bytes, (size_t)(now() % 900 + 1))) > 0) total += n;
  hash = mix(mix_result(hash, n), (uint64_t)total);
  close(ends[0]);
  hash = mix_result(hash, write(ends[1], bytes, 1));
  close(ends[1]);
  for (int i = 0; i < share_of(200); i++) {
    value = now();
    if (write(common[1], &value, sizeof value) != sizeof value) return 2;
    if (read(common[0], &value, sizeof value) != sizeof value) return 3;
    hash = mix(hash, value);
  }
  return hash;
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN);
  if (pipe(common)) return 2;
  return run_in_scratch(argc, argv, body);
}
