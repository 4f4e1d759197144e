/* Descriptors that become stdout or cease to be it: dup, dup2, fcntl, close, freopen; what calls copy to it. What goes
 * to files is not shown, whatever its descriptor. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_nsec;
}

static uint64_t body(int index) {
  int copy = index % 2 ? dup(1) : fcntl(1, F_DUPFD_CLOEXEC, 20);
  for (int i = 0; i < 5; i++) dprintf(copy, "thread %d step %d at %ld\n", index, i, now());
  close(copy);
  for (int i = 0; i < 20; i++) {  /* numbers that are stdout now and something else then */
    int named = open("/dev/stdout", O_WRONLY | O_APPEND);
    if (named >= 0) dprintf(named, "thread %d by name %d\n", index, i);
    close(named);
    int other = open("/dev/null", O_WRONLY);
    dprintf(other, "not shown %d\n", i);
    close(other);
  }
  return (uint64_t)copy;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  char path[] = "/tmp/anaphora-copies-XXXXXX", text[100];
  int file = mkstemp(path), ends[2];
  if (file < 0 || pipe(ends)) return 2;
  int n = snprintf(text, sizeof text, "copied %ld\n", now());
  if (write(file, text, (size_t)n) != n || write(ends[1], text, (size_t)n) != n) return 3;
  off_t at = 0;
  fflush(stdout);
  ssize_t sent = sendfile(1, file, &at, 100), spliced = splice(ends[0], NULL, 1, NULL, 100, 0);
  struct iovec parts[2] = {{text, 3}, {text + 3, (size_t)n - 3}};
  ssize_t read_back = preadv2(file, parts, 2, 2, 0);
  printf("%zd %zd %ld %zd %.5s\n", sent, spliced, (long)at, read_back, text);
  fflush(stdout);
  FILE *named = fopen("/dev/stdout", "w");
  if (named) {
    fprintf(named, "by its name %ld\n", now());
    fclose(named);
  }
  int kept = dup(1);
  dup2(file, 1);  /* stdout is the file now */
  printf("not shown %ld\n", now());
  fflush(stdout);
  dprintf(kept, "shown %ld\n", now());
  dup2(kept, 1);
  close(kept);
  printf("shown again %ld\n", now());
  fflush(stdout);
  if (!freopen(path, "a", stderr)) return 4;
  fprintf(stderr, "not shown\n");
  fprintf(stdout, "the file has %ld bytes\n", (long)lseek(file, 0, SEEK_END));
  unlink(path);
  print_results();
  return 0;
}
