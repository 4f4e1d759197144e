// Ends as its arguments say: sometimes_fails FILE N STATUS. FILE counts the runs; the N-th one ends with the status,
// or, if that is negative, of the signal. It hangs if the status is one of `hangs`, `hangs-deaf` (to SIGINT) and
// `hangs-politely` (and exits with 0 after SIGINT). `sometimes_fails endless` reads random bytes until it is stopped.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static int endless(void) {
  unsigned char bytes[4096];
  for (unsigned n = 0;; n++) {
    if (getrandom(bytes, sizeof bytes, 0) < 0) return 1;
    printf("%u %02x\n", n, bytes[n % sizeof bytes]);
    fflush(stdout);
  }
}

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

static int hang(const char* how) {
  if (!strcmp(how, "hangs-deaf")) signal(SIGINT, SIG_IGN);
  if (!strcmp(how, "hangs-politely")) signal(SIGINT, leave);
  fflush(stdout);
  for (;;) pause();
}

int main(int argc, char** argv) {
  if (argc == 2 && !strcmp(argv[1], "endless")) return endless();
  if (argc != 4) return 2;
  int fd = open(argv[1], O_RDWR | O_CREAT | O_APPEND, 0600);
  char line[4096];
  long runs = read(fd, line, sizeof line) + 1;
  if (fd < 0 || write(fd, "x", 1) != 1) return 2;
  printf("run %ld\n", runs);
  if (runs != atol(argv[2])) return 0;
  if (!strncmp(argv[3], "hangs", 5)) return hang(argv[3]);
  int status = atoi(argv[3]);
  if (status >= 0) return status;
  fflush(stdout);
  raise(-status);
  return 0;
}
