// Treiber's stack with version counters against ABA, over a fixed pool of nodes.
#include <atomic>

#include "support.h"

constexpr uint32_t kNodes = 256;
struct Node {
  std::atomic<uint32_t> next;
  int value;
};
Node nodes[kNodes + 1];
std::atomic<uint64_t> full_head, free_head;

static void push(std::atomic<uint64_t>& head, uint32_t node) {
  uint64_t seen = head.load();
  do {
    nodes[node].next.store(static_cast<uint32_t>(seen), std::memory_order_relaxed);
  } while (!head.compare_exchange_weak(seen, ((seen >> 32) + 1) << 32 | node));
}

static uint32_t pop(std::atomic<uint64_t>& head, uint64_t& retries) {
  uint64_t seen = head.load();
  for (;; retries++) {
    uint32_t node = static_cast<uint32_t>(seen);
    if (node == 0) return 0;
    uint64_t next = nodes[node].next.load(std::memory_order_relaxed);
    if (head.compare_exchange_weak(seen, ((seen >> 32) + 1) << 32 | next)) return node;
  }
}

static uint64_t body(int index) {
  uint64_t hash = 0, retries = 0;
  for (int i = 0, n = share_of(8000); i < n; i++) {
    if (uint32_t node = pop(free_head, retries)) {
      nodes[node].value = index * 100000 + i;
      push(full_head, node);
    }
    if ((i + index) % 3 != 0) continue;
    for (int k = 0; k < 3; k++) {
      uint32_t node = pop(full_head, retries);
      if (node == 0) break;
      hash = mix(hash, static_cast<uint64_t>(nodes[node].value));
      push(free_head, node);
    }
    yield_every(i, 64);
  }
  return mix(hash, retries);
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  for (uint32_t i = 1; i <= kNodes; i++) push(free_head, i);
  run_threads(body);
  uint64_t unused = 0, left = 0;
  while (uint32_t node = pop(full_head, unused)) left = mix(left, static_cast<uint64_t>(nodes[node].value));
  std::printf("left %016" PRIx64 ", version %u\n", left, static_cast<unsigned>(full_head.load() >> 32));
  print_results();
}
