/* tmpfile, mkstemp and its forms, streams in memory, getline, ungetc, positions, buffers of all kinds. */
#define _GNU_SOURCE
#include "inputs.h"

static uint64_t memory_streams(uint64_t hash) {
  char *text = NULL, buffer[64];
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  for (int i = 0; i < 20; i++) fprintf(out, "%" PRIu64 " ", now());
  fclose(out);
  FILE *in = fmemopen(text, size, "r");
  uint64_t value;
  while (fscanf(in, "%" SCNu64, &value) == 1) hash = mix(hash, value);
  fclose(in);
  free(text);
  snprintf(buffer, sizeof buffer, "%a", (double)(now() % 1000) / 7);
  return mix_text(hash, buffer);
}

static uint64_t body(int index) {
  uint64_t hash = memory_streams((uint64_t)index);
  char path[PATH_MAX], buffer[100], *line = NULL;
  size_t room = 0;
  FILE *file = index % 2 ? tmpfile() : fdopen(mkostemp(strcat(strcpy(path, scratch), "/t-XXXXXX"), O_CLOEXEC), "w+");
  if (!file) return 1;
  setvbuf(file, buffer, index % 3 == 0 ? _IOFBF : index % 3 == 1 ? _IOLBF : _IONBF, sizeof buffer);
  for (int i = 0; i < 30; i++) fprintf(file, "line %d of %d: %" PRIu64 "\n", i, index, now());
  fpos_t position;
  rewind(file);
  for (int i = 0; getline(&line, &room, file) > 0; i++) {
    hash = mix_text(hash, line);
    if (i == 10) fgetpos(file, &position);
  }
  fsetpos(file, &position);
  int c = fgetc(file);
  ungetc(c, file);
  hash = mix(mix_result(hash, ftell(file)), (uint64_t)c);
  fseek(file, -5, SEEK_END);
  hash = mix_bytes(hash, line, (ssize_t)fread(line, 1, 10, file));
  hash = mix(mix(hash, (uint64_t)feof(file)), (uint64_t)ferror(file));
  free(line);
  fclose(file);
  return hash;
}

int main(int argc, char **argv) { return run_in_scratch(argc, argv, body); }
