/* Reads what nobody has set: variables, padding, arrays, blocks from alloca and malloc. Whatever the runtime's wrappers
 * left on the stack before must not show. */
#include <alloca.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

struct Padded {
  char first;
  int second;
  char third;
  long fourth;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static uint64_t hash_of(const void *from, size_t bytes) {
  uint64_t hash = bytes;
  for (size_t i = 0; i < bytes; i++) hash = mix(hash, ((const unsigned char *)from)[i]);
  return hash;
}

__attribute__((noinline)) static uint64_t stack_below(int size) {
  unsigned char array[3000];
  int number;
  char any[size];
  uint64_t hash = mix(hash_of(array, sizeof(array)), hash_of(&number, sizeof(number)));
  return mix(mix(hash, hash_of(any, sizeof(any))), hash_of(alloca((size_t)size), (size_t)size));
}

__attribute__((noinline)) static struct Padded padded(int value) {
  return (struct Padded){.first = 1, .second = value, .fourth = 3};
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < 30; i++) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&lock);
    int turn = ++turns;
    pthread_mutex_unlock(&lock);
    hash = mix(hash, stack_below(100 + turn % 50));
    struct Padded set, copy = padded(turn);
    set.first = 1;
    set.second = turn;
    hash = mix(mix(hash, hash_of(&set, sizeof(set))), hash_of(&copy, sizeof(copy)));
    char *block = (char *)malloc((size_t)(turn % 500 + 1));
    hash = mix(hash, hash_of(block, (size_t)(turn % 500 + 1)));
    block[0] = (char)turn;
    free(block);
    if (i % 10 == 0 && write(STDERR_FILENO, &copy, sizeof(copy)) < 0) abort();
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
