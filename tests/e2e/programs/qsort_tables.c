/* qsort and bsearch over tables that others change under a lock, and a comparison function that counts. */
#include "support.h"

enum { kEntries = 200 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int table[kEntries];
long comparisons;

static int compare(const void *a, const void *b) {
  comparisons++;
  return *(const int *)a - *(const int *)b;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  int mine[kEntries];
  uint32_t random = (uint32_t)index + 77;
  for (int i = 0, n = share_of(200); i < n; i++) {
    pthread_mutex_lock(&lock);
    table[next_random(&random) % kEntries] = (int)(next_random(&random) % 1000);
    qsort(table, kEntries, sizeof table[0], compare);
    memcpy(mine, table, sizeof mine);
    pthread_mutex_unlock(&lock);
    int key = mine[(i * 7) % kEntries];
    int *found = (int *)bsearch(&key, mine, kEntries, sizeof mine[0], compare);
    hash = mix(hash, (uint64_t)(found - mine) + (uint64_t)key);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < kEntries; i++) table[i] = i * 37 % 1000;
  run_threads(body);
  printf("comparisons %ld first %d last %d\n", comparisons, table[0], table[kEntries - 1]);
  print_results();
  return 0;
}
