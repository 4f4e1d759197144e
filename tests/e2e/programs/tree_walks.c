/* nftw and fts through a tree that grows meanwhile. */
#define _GNU_SOURCE
#include <fts.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

static char place[64] = "walks-XXXXXX";
static _Thread_local uint64_t seen;

static int look(const char *path, const struct stat *info, int kind, struct FTW *at) {
  seen = mix(seen, (uint64_t)(kind * 8 + at->level) + (uint64_t)info->st_size + (uint64_t)path[at->base]);
  return 0;
}

static int clear(const char *path, const struct stat *info, int kind, struct FTW *at) {
  (void)info, (void)kind, (void)at;
  return remove(path);
}

static uint64_t body(int index) {
  char name[128];
  for (int i = 0, n = share_of(24); i < n; i++) {
    snprintf(name, sizeof name, "%s/d%d", place, index);
    mkdir(name, 0700);
    snprintf(name, sizeof name, "%s/d%d/f%d", place, index, i);
    FILE *file = fopen(name, "w");
    if (file) {
      fprintf(file, "%*d", i + 1, i);
      fclose(file);
    }
    nftw(place, look, 4, FTW_PHYS);
    char *roots[] = {place, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; walk && (entry = fts_read(walk));) seen = mix(seen, (uint64_t)entry->fts_info);
    if (walk) fts_close(walk);
  }
  return seen;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  if (!mkdtemp(place)) return 2;
  run_threads(body);
  print_results();
  printf("cleared %d\n", nftw(place, clear, 4, FTW_PHYS | FTW_DEPTH));
  return 0;
}
