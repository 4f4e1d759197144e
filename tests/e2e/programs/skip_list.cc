// A skip list without locks for insertion and lookup, and readers that walk it meanwhile.
#include <atomic>

#include "support.h"

constexpr int kLevels = 8;
struct Node {
  int key;
  int height;
  std::atomic<Node*> next[kLevels];
};
static Node head;

static Node* find(int key, Node** before) {
  Node* at = &head;
  for (int level = kLevels - 1; level >= 0; level--) {
    for (Node* next; (next = at->next[level].load(std::memory_order_acquire)) && next->key < key;) at = next;
    before[level] = at;
  }
  return at->next[0].load(std::memory_order_acquire);
}

static bool insert(int key, uint32_t* state) {
  Node* before[kLevels];
  Node* found = find(key, before);
  if (found && found->key == key) return false;
  Node* node = new Node;
  node->key = key;
  node->height = 1 + __builtin_ctz(next_random(state) | 1u << (kLevels - 1));
  for (int level = 0; level < node->height && level < kLevels; level++) {
    for (;;) {
      Node* next = before[level]->next[level].load();
      if (next && next->key == key && level == 0) return false;
      if (next && next->key < key) {
        find(key, before);
        continue;
      }
      node->next[level].store(next);
      if (before[level]->next[level].compare_exchange_weak(next, node)) break;
      find(key, before);
    }
  }
  return true;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t state = static_cast<uint32_t>(index) + 3;
  for (int i = 0, n = share_of(800); i < n; i++) {
    hash = mix(hash, insert(static_cast<int>(next_random(&state) % 2000), &state));
    Node* before[kLevels];
    Node* found = find(static_cast<int>(next_random(&state) % 2000), before);
    hash = mix(hash, found ? static_cast<uint64_t>(found->key) : 0);
    yield_every(i, 40);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  int count = 0;
  for (Node* at = head.next[0]; at; at = at->next[0]) count++;
  std::printf("%d keys\n", count);
}
