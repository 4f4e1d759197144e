/* Breadth-first search with racing visited flags; several parents are possible, and the last writer wins. */
#include "support.h"

enum { kNodes = 3000, kDegree = 6 };
int edges[kNodes][kDegree], parent[kNodes], level[kNodes];
unsigned char visited[kNodes];
int frontier[2][kNodes * kDegree], frontier_size[2];
pthread_barrier_t round_line;

static uint64_t body(int index) {
  uint64_t found = 0;
  for (int round = 0;; round++) {
    int now = round & 1, next = 1 - now;
    for (int k = index; k < frontier_size[now]; k += threads) {
      int node = frontier[now][k];
      for (int e = 0; e < kDegree; e++) {
        int target = edges[node][e];
        if (visited[target]) continue;
        visited[target] = 1;
        parent[target] = node;
        level[target] = round + 1;
        frontier[next][__atomic_fetch_add(&frontier_size[next], 1, __ATOMIC_ACQ_REL)] = target;
        found++;
      }
    }
    pthread_barrier_wait(&round_line);
    if (frontier_size[next] == 0) return found;
    if (pthread_barrier_wait(&round_line) == PTHREAD_BARRIER_SERIAL_THREAD) frontier_size[now] = 0;
    pthread_barrier_wait(&round_line);
  }
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  uint32_t random = 12345;
  for (int i = 0; i < kNodes; i++)
    for (int e = 0; e < kDegree; e++) edges[i][e] = (int)(next_random(&random) % kNodes);
  pthread_barrier_init(&round_line, NULL, (unsigned)threads);
  visited[0] = 1;
  frontier_size[0] = 1;
  run_threads(body);
  uint64_t hash = 0, depth = 0;
  for (int i = 0; i < kNodes; i++) hash = mix(hash, (uint64_t)parent[i]), depth += (uint64_t)level[i];
  printf("parents %016" PRIx64 ", levels %" PRIu64 "\n", hash, depth);
  print_results();
  return 0;
}
