/* tsearch, hsearch_r, lsearch and bsearch, in tables that threads share under a lock and look into without it. */
#define _GNU_SOURCE
#include <search.h>

#include "support.h"

enum { kKeys = 200 };
static void *tree;
static struct hsearch_data table;
static int list[kKeys], sorted[kKeys];
static size_t listed;
static int keys[kKeys];
static char names[kKeys][8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t walked;

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void walk(const void *node, VISIT visit, int depth) {
  if (visit == postorder || visit == leaf) walked = mix(walked, (uint64_t)(**(int *const *)node * 32 + depth));
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t state = (uint32_t)index * 77 + 1;
  for (int i = 0, n = share_of(400); i < n; i++) {
    int k = (int)(next_random(&state) % kKeys);
    pthread_mutex_lock(&lock);
    if (i % 4 == 3) tdelete(&keys[k], &tree, compare);
    else tsearch(&keys[k], &tree, compare);
    ENTRY entry = {names[k], &keys[k]}, *found;
    hsearch_r(entry, ENTER, &found, &table);
    if (listed + 1 < kKeys) hash = mix(hash, (uint64_t)((int *)lsearch(&keys[k], list, &listed, sizeof(int), compare) - list));
    pthread_mutex_unlock(&lock);
    hash = mix(hash, listed);
    int *at = bsearch(&k, sorted, kKeys, sizeof(int), compare);
    hash = mix(hash, at ? (uint64_t)*at : 0);
    yield_every(i, 25);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  hcreate_r(kKeys * 2, &table);
  for (int i = 0; i < kKeys; i++) {
    keys[i] = sorted[i] = i;
    snprintf(names[i], sizeof names[i], "k%d", i);
  }
  run_threads(body);
  print_results();
  twalk(tree, walk);
  printf("walked %016" PRIx64 ", listed %zu\n", walked, listed);
  hdestroy_r(&table);
  return 0;
}
