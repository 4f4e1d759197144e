/* flockfile and the unlocked functions, wide and narrow streams, dprintf, perror, fcloseall's relatives. */
#define _GNU_SOURCE
#include <stdio_ext.h>
#include <wchar.h>

#include "inputs.h"

static FILE *common;

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < 30; i++) {
    flockfile(common);
    fprintf(common, "%d:%d ", index, i);
    putc_unlocked('a' + i % 26, common);
    hash = mix(hash, (uint64_t)ftell(common));
    funlockfile(common);
    if (ftrylockfile(common) == 0) {
      fputs("tried\n", common);
      funlockfile(common);
      hash = mix(hash, 1);
    }
  }
  FILE *wide = tmpfile();
  fwide(wide, 1);
  fwprintf(wide, L"%d \u00e4 %ls\n", (int)(now() % 1000), L"wide");
  rewind(wide);
  wchar_t line[50];
  if (fgetws(line, 50, wide)) hash = mix_bytes(hash, line, (ssize_t)(wcslen(line) * sizeof *line));
  fclose(wide);
  errno = index % 30;
  perror("as expected");
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  common = tmpfile();
  __fsetlocking(stdout, FSETLOCKING_QUERY);
  run_threads(body);
  rewind(common);
  uint64_t hash = 1;
  for (int c; (c = getc(common)) != EOF;) hash = mix(hash, (uint64_t)c);
  printf("%016" PRIx64 " %zu\n", hash, __fbufsize(common));
  fclose(common);
  print_results();
  return 0;
}
