/* Growing and shrinking one buffer from many threads, under a lock; aligned_alloc, posix_memalign, strdup beside it. */
#include "support.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char *buffer;
size_t size;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(4000); i < n; i++) {
    pthread_mutex_lock(&lock);
    size_t want = (size * 5 + (size_t)index * 17 + (size_t)i) % 20000 + 1;
    buffer = (char *)realloc(buffer, want);
    for (size_t k = size; k < want; k++) buffer[k] = (char)(index + (int)k);
    size = want;
    hash = mix(hash, (uint64_t)(uintptr_t)buffer + (unsigned char)buffer[size / 2]);
    pthread_mutex_unlock(&lock);
    void *aligned = NULL;
    if (posix_memalign(&aligned, 256, 100) != 0) abort();
    char *copy = strdup("a string of some length");
    hash = mix(hash, (uint64_t)(uintptr_t)aligned ^ (uint64_t)(uintptr_t)copy);
    free(aligned);
    free(copy);
    free(aligned_alloc(64, 640));
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("%p of %zu\n", (void *)buffer, size);
  print_results();
  free(buffer);
  return 0;
}
