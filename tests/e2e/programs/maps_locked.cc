// Ordered, hashed and heap containers under locks, looked into between the locks.
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <queue>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "support.h"

static std::map<int, std::string> tree;
static std::unordered_map<std::string, int> table;
static std::priority_queue<int> heap;
static std::list<int> chain;
static std::multiset<int> bag;
static std::shared_mutex lock;

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t state = static_cast<uint32_t>(index) + 21;
  for (int i = 0, n = share_of(500); i < n; i++) {
    int k = static_cast<int>(next_random(&state) % 60);
    if (i % 3) {
      std::unique_lock guard(lock);
      tree[k] += static_cast<char>('a' + index % 26);
      table[tree[k].substr(0, 6)]++;
      heap.push(k);
      if (heap.size() > 40) heap.pop();
      chain.push_front(k);
      if (chain.size() > 30) chain.pop_back();
      bag.insert(k);
      if (i % 7 == 0) tree.erase(tree.begin());
      if (bag.size() > 100) bag.erase(bag.find(k), bag.upper_bound(k));
    } else {
      std::shared_lock guard(lock);
      auto found = tree.lower_bound(k);
      hash = mix(hash, found == tree.end() ? 0 : found->second.size());
      hash = mix(hash, table.size() + (heap.empty() ? 0 : static_cast<uint64_t>(heap.top())));
      hash = mix(hash, bag.count(k) + chain.size());
    }
    hash = mix(hash, chain.size());  // races
    yield_every(i, 30);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  std::printf("%zu %zu %zu\n", tree.size(), table.size(), bag.size());
}
