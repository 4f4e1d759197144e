/* fmemopen, open_memstream, getline, getdelim, ungetc, fseek, and one stream that all threads write. */
#define _GNU_SOURCE
#include "support.h"

static FILE *common;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(200); i < n; i++) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%d:%d;%*d\n%d,%d", index, i, i % 9, i, i * i, index);
    fclose(out);
    FILE *in = fmemopen(text, size, "r");
    char *line = NULL;
    size_t room = 0;
    hash = mix(hash, (uint64_t)getdelim(&line, &room, ';', in));
    int c = fgetc(in);
    ungetc(c, in);
    hash = mix(hash, (uint64_t)getline(&line, &room, in) + (uint64_t)c);
    int a = 0, b = 0;
    hash = mix(hash, (uint64_t)fscanf(in, "%d,%d", &a, &b) + (uint64_t)a);
    fseek(in, -2, SEEK_END);
    hash = mix(hash, (uint64_t)ftell(in) + (uint64_t)fgetc(in) + (uint64_t)feof(in));
    fclose(in);
    free(line);
    free(text);
    fprintf(common, "%d.%d ", index, i);
    hash = mix(hash, (uint64_t)ftello(common));
    yield_every(i, 10);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  char *all = NULL;
  size_t size = 0;
  common = open_memstream(&all, &size);
  run_threads(body);
  fclose(common);
  print_results();
  printf("%zu bytes: %.60s\n", size, all);
  free(all);
  return 0;
}
