// Maps, sets and lists that grow under a lock and are read without one: what the readers meet is the middle of rotations
// and half-linked nodes. Nothing is erased, so that there is always a node to go to.
#include <list>
#include <map>
#include <mutex>
#include <set>

#include "support.h"

static std::map<int, int> tree;
static std::multiset<int> bag;
static std::list<int> chain;
static std::mutex lock;

static uint64_t look(int from) {
  uint64_t hash = 0;
  auto node = tree.lower_bound(from);
  for (int k = 0; k < 4 && node != tree.end(); k++, ++node) hash = mix(hash, static_cast<uint64_t>(node->first));
  auto last = bag.end();
  for (int k = 0; k < 3 && last != bag.begin(); k++) hash = mix(hash, static_cast<uint64_t>(*--last));
  int k = 0;
  for (int value : chain) {
    hash = mix(hash, static_cast<uint64_t>(value));
    if (++k == 4) break;
  }
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t state = static_cast<uint32_t>(index) + 5;
  for (int i = 0, n = share_of(6000); i < n; i++) {
    int key = static_cast<int>(next_random(&state) % 100000);
    if ((i + index) % 2) {
      std::lock_guard guard(lock);
      tree[key] = i;
      bag.insert(key % 1000);
      if (key % 2) chain.push_front(key);
      else chain.push_back(key);
    } else {
      hash = mix(hash, look(key));
    }
    yield_every(i, 50);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  tree[0] = 0;
  bag.insert(0);
  run_threads(body);
  print_results();
  std::printf("%zu %zu %zu\n", tree.size(), bag.size(), chain.size());
}
