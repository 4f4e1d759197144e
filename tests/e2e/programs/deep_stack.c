/* Deep recursion, large arrays on the stack, alloca and variable length arrays, with races in between. */
#include <alloca.h>

#include "support.h"

volatile int pace;
long shared_sum;

static long descend(int depth, long carry) {
  char local[200];
  local[depth % 200] = (char)carry;
  if (depth == 0) return carry + pace;
  if (depth % 64 == 0) pace = pace + 1;
  return descend(depth - 1, carry * 3 + local[depth % 200]) + local[depth % 200];
}

static long large(int size) {
  volatile int table[size];
  char *block = (char *)alloca((size_t)size);
  int fixed[30000];
  for (int i = 0; i < size; i++) {
    table[i] = i + pace;
    block[i] = (char)i;
    fixed[i * 17 % 30000] = table[i];
  }
  shared_sum += table[size - 1] + block[size / 2];
  return fixed[(size - 1) * 17 % 30000];
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0; i < 12; i++) {
    hash = mix(hash, (uint64_t)descend(3000 + index * 10, i));
    hash = mix(hash, (uint64_t)large(1000 + index + i));
    sched_yield();
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("pace %d sum %ld\n", pace, shared_sum);
  print_results();
  return 0;
}
