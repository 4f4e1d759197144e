/* Files of stdio: buffers of all kinds, reopening, temporary files, positions, the errors of streams. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "support.h"

static FILE *shared;

static uint64_t body(int index) {
  uint64_t hash = 0;
  char buffer[256];
  for (int i = 0, n = share_of(60); i < n; i++) {
    FILE *file = tmpfile();
    if (!file) exit(2);
    setvbuf(file, i % 2 ? buffer : NULL, i % 3 == 0 ? _IONBF : i % 3 == 1 ? _IOLBF : _IOFBF, sizeof buffer);
    for (int k = 0; k < 20; k++) fprintf(file, "%d %d\n", index * i, k);
    fflush(file);
    fpos_t middle;
    rewind(file);
    int a, b;
    for (int k = 0; k < 10; k++) hash = mix(hash, (uint64_t)fscanf(file, "%d %d", &a, &b) + (uint64_t)(a + b));
    fgetpos(file, &middle);
    while (fgets(buffer + 128, 64, file)) hash = mix(hash, (uint64_t)buffer[128]);
    hash = mix(hash, (uint64_t)(feof(file) * 2 + ferror(file)));
    fsetpos(file, &middle);
    clearerr(file);
    hash = mix(hash, (uint64_t)fgetc(file));
    fclose(file);
    flockfile(shared);
    fseek(shared, 0, SEEK_END);
    fprintf(shared, "<%d", index);
    fputc_unlocked('>', shared);
    hash = mix(hash, (uint64_t)ftell(shared));
    funlockfile(shared);
    errno = 0;
    hash = mix(hash, fopen("/no/such/file", "r") == NULL ? (uint64_t)errno : 0);
    yield_every(i, 6);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  char name[] = "stdio-XXXXXX";
  int fd = mkstemp(name);
  shared = fdopen(fd, "w+");
  run_threads(body);
  print_results();
  rewind(shared);
  char line[80] = "";
  printf("%s\n", fgets(line, sizeof line, shared));
  shared = freopen(name, "r", shared);
  printf("reopened %c\n", shared ? fgetc(shared) : '?');
  unlink(name);
  return 0;
}
