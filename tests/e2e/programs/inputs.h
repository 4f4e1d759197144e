/* What the programs about system calls share: something that differs from run to run, hashes of bytes, and a directory to
 * work in, which goes away at the end. */
#ifndef ANAPHORA_TESTS_INPUTS_H
#define ANAPHORA_TESTS_INPUTS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static char scratch[PATH_MAX];

static inline uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t mix_bytes(uint64_t hash, const void *bytes, ssize_t n) {
  for (ssize_t i = 0; i < n; i++) hash = mix(hash, ((const unsigned char *)bytes)[i]);
  return mix(hash, (uint64_t)n);
}

static inline uint64_t mix_text(uint64_t hash, const char *text) { return mix_bytes(hash, text, (ssize_t)strlen(text)); }

/* A call's result, with errno if it failed. */
static inline uint64_t mix_result(uint64_t hash, long result) {
  return mix(mix(hash, (uint64_t)result), result < 0 ? (uint64_t)errno : 0);
}

static inline uint64_t mix_stat(uint64_t hash, const struct stat *s) {
  hash = mix(mix(mix(hash, s->st_ino), s->st_mode), (uint64_t)s->st_size);
  return mix(mix(mix(hash, s->st_nlink), (uint64_t)s->st_mtim.tv_nsec), (uint64_t)s->st_ctim.tv_sec);
}

static inline void make_scratch(void) {
  const char *base = getenv("TMPDIR");
  snprintf(scratch, sizeof scratch, "%s/anaphora-e2e-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(scratch)) {
    perror("mkdtemp");
    exit(2);
  }
}

/* The path of a file of the thread's own. */
static inline const char *path_in_scratch(char *to, size_t size, int index, const char *name) {
  snprintf(to, size, "%s/%d-%s", scratch, index, name);
  return to;
}

static inline void remove_scratch(void) {
  DIR *directory = opendir(scratch);
  char path[2 * PATH_MAX];
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    snprintf(path, sizeof path, "%s/%s", scratch, entry->d_name);
    if (entry->d_name[0] != '.') remove(path);
  }
  if (directory) closedir(directory);
  rmdir(scratch);
}

/* The whole program: threads in a directory of their own. */
static inline int run_in_scratch(int argc, char **argv, Body body) {
  parse_threads(argc, argv);
  make_scratch();
  run_threads(body);
  remove_scratch();
  printf("%s\n", scratch);
  print_results();
  return 0;
}

#endif
