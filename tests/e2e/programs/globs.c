/* glob, fnmatch, wordexp and scandir over files that threads make and remove. */
#include <dirent.h>
#include <fnmatch.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include "support.h"

static char place[64] = "globs-XXXXXX";

static int is_ours(const struct dirent *entry) { return fnmatch("t[0-9]*.[ab]", entry->d_name, 0) == 0; }

static uint64_t body(int index) {
  uint64_t hash = 0;
  char name[128];
  for (int i = 0, n = share_of(40); i < n; i++) {
    snprintf(name, sizeof name, "%s/t%d-%d.%c", place, index, i, "ab"[i % 2]);
    FILE *file = fopen(name, "w");
    if (file) fclose(file);
    char pattern[128];
    snprintf(pattern, sizeof pattern, "%s/t*.a", place);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
      for (size_t k = 0; k < found.gl_pathc; k++)
        for (char *at = found.gl_pathv[k] + strlen(place); *at; at++) hash = mix(hash, (uint64_t)*at);
      globfree(&found);
    }
    struct dirent **list;
    int count = scandir(place, &list, is_ours, alphasort);
    hash = mix(hash, (uint64_t)count);
    for (int k = 0; k < count; k++) free(list[k]);
    if (count > 0) free(list);
    if (i % 3 == 2) unlink(name);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  if (!mkdtemp(place)) return 2;
  run_threads(body);
  print_results();
  wordexp_t words;
  setenv("PLACE", place, 1);
  if (wordexp("$PLACE/*.b \"two words\"", &words, WRDE_NOCMD) == 0) {
    printf("%zu words, last %s\n", words.we_wordc, words.we_wordv[words.we_wordc - 1]);
    for (size_t i = 0; i + 1 < words.we_wordc; i++) unlink(words.we_wordv[i]);
    wordfree(&words);
  }
  glob_t left;
  char pattern[128];
  snprintf(pattern, sizeof pattern, "%s/*", place);
  if (glob(pattern, GLOB_NOSORT, NULL, &left) == 0)
    for (size_t i = 0; i < left.gl_pathc; i++) unlink(left.gl_pathv[i]);
  printf("removed %d\n", rmdir(place));
  return 0;
}
