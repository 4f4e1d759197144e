/* Threads that create threads: a tree, each node waiting for its children. */
#include <stdatomic.h>

#include "support.h"

_Atomic int started;
int plain;

struct Node {
  int depth;
  uint64_t result;
};

static void *grow(void *argument) {
  struct Node *node = (struct Node *)argument;
  int place = atomic_fetch_add(&started, 1);
  for (int i = 0; i < 300; i++) plain += place + i;
  sched_yield();
  for (int i = 0; i < 300; i++) plain ^= i * place;
  node->result = mix((uint64_t)place, (uint64_t)plain);
  if (node->depth == 0) return NULL;
  struct Node children[2] = {{node->depth - 1, 0}, {node->depth - 1, 0}};
  pthread_t handles[2];
  for (int i = 0; i < 2; i++) pthread_create(&handles[i], NULL, grow, &children[i]);
  for (int i = 1; i >= 0; i--) {
    pthread_join(handles[i], NULL);
    node->result = mix(node->result, children[i].result);
  }
  return NULL;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  int depth = 1;
  while ((2 << depth) - 2 < threads) depth++;
  for (int i = 0; i < 8; i++) {
    struct Node root = {depth, 0};
    grow(&root);
    printf("tree %d: %d started, plain %d, %016" PRIx64 "\n", i, started, plain, root.result);
  }
  return 0;
}
