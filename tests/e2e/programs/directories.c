/* Making, listing, renaming and removing directories; the working directory. */
#define _GNU_SOURCE
#include <ftw.h>
#include <glob.h>

#include "inputs.h"

static __thread uint64_t walked;

static int visit(const char *path, const struct stat *s, int kind, struct FTW *where) {
  walked = mix(mix_text(walked, path), (uint64_t)(kind + where->level) + (S_ISDIR(s->st_mode) ? 0 : (uint64_t)s->st_size));
  return 0;
}

static uint64_t body(int index) {
  char top[PATH_MAX], path[2 * PATH_MAX], other[2 * PATH_MAX];
  uint64_t hash = 1;
  hash = mix_result(hash, mkdir(path_in_scratch(top, sizeof top, index, "d"), 0700));
  for (int i = 0; i < 6; i++) {
    snprintf(path, sizeof path, "%s/%x-%d", top, (unsigned)(now() & 0xfff), i);
    hash = mix_result(hash, mkdir(path, 0700));
    hash = mix_result(hash, mkdir(path, 0700));
    snprintf(other, sizeof other, "%s/moved-%d", top, i);
    if (i % 2) hash = mix_result(hash, rename(path, other));
  }
  DIR *directory = opendir(top);
  for (int round = 0; round < 2; round++, rewinddir(directory))
    for (struct dirent *e; (e = readdir(directory));) hash = mix(mix_text(hash, e->d_name), e->d_ino);
  closedir(directory);
  struct dirent **names = NULL;
  int n = scandir(top, &names, NULL, alphasort);
  for (int i = 0; i < n; free(names[i++])) hash = mix_text(hash, names[i]->d_name);
  free(names);
  glob_t found;
  snprintf(path, sizeof path, "%s/*-[13]", top);
  if (glob(path, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) hash = mix_text(hash, found.gl_pathv[i]);
    globfree(&found);
  }
  walked = 1;
  nftw(top, visit, 4, FTW_PHYS);
  hash = mix(hash, walked);
  directory = opendir(top);
  for (struct dirent *e; (e = readdir(directory));)
    if (e->d_name[0] != '.') hash = mix_result(hash, unlinkat(dirfd(directory), e->d_name, AT_REMOVEDIR));
  closedir(directory);
  return hash;
}

int main(int argc, char **argv) {
  char before[PATH_MAX], after[PATH_MAX];
  if (!getcwd(before, sizeof before)) return 2;
  int here = open(".", O_RDONLY | O_DIRECTORY);
  int result = run_in_scratch(argc, argv, body);
  if (chdir("/usr") || !getcwd(after, sizeof after)) return 3;
  printf("%s, then %s\n", before, after);
  if (fchdir(here) || !getcwd(after, sizeof after)) return 4;
  printf("back in %s\n", after);
  return result;
}
