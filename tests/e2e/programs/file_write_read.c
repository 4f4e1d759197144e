/* Several threads append to a file, with write(2) and with stdio; it is then read back and printed. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

int descriptor;
FILE *stream;

static uint64_t body(int index) {
  char line[64];
  uint64_t written = 0;
  for (int i = 0, n = share_of(200); i < n; i++) {
    int length = snprintf(line, sizeof line, "thread %d step %d\n", index, i);
    written += (uint64_t)write(descriptor, line, (size_t)length);
    fprintf(stream, "%d:%d\n", index, i);
    if (i % 8 == 0) sched_yield();
  }
  return written;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  char first[] = "/tmp/anaphora-write-XXXXXX", second[] = "/tmp/anaphora-stream-XXXXXX";
  int base = mkstemp(first);
  close(base);
  descriptor = open(first, O_RDWR | O_APPEND);
  stream = fdopen(mkstemp(second), "w+");
  if (descriptor < 0 || stream == NULL) return 2;
  run_threads(body);
  struct stat status;
  fstat(descriptor, &status);
  printf("size %ld\n", (long)status.st_size);
  char buffer[4096];
  lseek(descriptor, 0, SEEK_SET);
  for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) > 0;) fwrite(buffer, 1, (size_t)got, stdout);
  rewind(stream);
  while (fgets(buffer, sizeof buffer, stream) != NULL) fputs(buffer, stdout);
  fclose(stream);
  close(descriptor);
  unlink(first);
  unlink(second);
  print_results();
  return 0;
}
