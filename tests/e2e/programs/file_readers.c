/* One file, many readers: a shared FILE, and pread on a shared descriptor. */
#include <fcntl.h>
#include <unistd.h>

#include "support.h"

FILE *shared_file;
int descriptor;

static uint64_t body(int index) {
  uint64_t hash = 0;
  char line[200];
  for (int i = 0;; i++) {
    if (fgets(line, sizeof line, shared_file) == NULL) break;
    for (char *c = line; *c; c++) hash = mix(hash, (unsigned char)*c);
    int c = getc(shared_file);
    hash = mix(hash, (uint64_t)(c + 1));
    ssize_t got = pread(descriptor, line, 100, (index * 13 + i) % 3000);
    hash = mix(hash, (uint64_t)got + (unsigned char)line[got > 0 ? got - 1 : 0]);
    if (i % 16 == 0) sched_yield();
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  char path[] = "/tmp/anaphora-readers-XXXXXX";
  descriptor = mkstemp(path);
  if (descriptor < 0) return 2;
  FILE *out = fdopen(dup(descriptor), "w");
  for (int i = 0; i < 2000; i++) fprintf(out, "line %d of the file, %d\n", i, i * i);
  fclose(out);
  shared_file = fopen(path, "r");
  run_threads(body);
  printf("position %ld\n", ftell(shared_file));
  fclose(shared_file);
  close(descriptor);
  unlink(path);
  print_results();
  return 0;
}
