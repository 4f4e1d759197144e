/* getline, getdelim, fgets and ungetc of all threads on one pipe: who gets which line depends on the schedule. */
#include "inputs.h"

static FILE *input;

static void *write_lines(void *argument) {
  FILE *output = fdopen((int)(intptr_t)argument, "w");
  uint32_t state = (uint32_t)now() | 1;
  for (int i = 0; i < 400; i++) {
    int length = (int)(next_random(&state) % 60);
    fprintf(output, "%d;%u;", i, next_random(&state) % 1000);
    for (int k = 0; k < length; k++) fputc('a' + (k + i) % 26, output);
    fputc('\n', output);
    if (i % 16 == 15) fflush(output);
  }
  fclose(output);
  return NULL;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  char *line = NULL, small[24];
  size_t room = 0;
  for (int i = index;; i++) {
    ssize_t n;
    switch (i % 3) {
      case 0: n = getline(&line, &room, input); break;
      case 1: n = getdelim(&line, &room, ';', input); break;
      default: n = fgets(small, sizeof small, input) ? (ssize_t)strlen(small) : -1; break;
    }
    if (n < 0) break;
    hash = mix_bytes(hash, i % 3 == 2 ? small : line, n);
    flockfile(input);
    int c = getc_unlocked(input);
    if (c != EOF) ungetc(c, input);
    funlockfile(input);
    hash = mix(hash, (uint64_t)c);
    yield_every(i, 5);
  }
  free(line);
  return mix(hash, room);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  int ends[2];
  if (pipe(ends)) return 2;
  input = fdopen(ends[0], "r");
  pthread_t writer;
  pthread_create(&writer, NULL, write_lines, (void *)(intptr_t)ends[1]);
  run_threads(body);
  pthread_join(writer, NULL);
  print_results();
  return 0;
}
