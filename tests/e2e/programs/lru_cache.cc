// A cache that forgets the least recently used; hits and misses depend on the schedule.
#include <list>
#include <mutex>
#include <unordered_map>

#include "support.h"

class Cache {
 public:
  bool get(int key, long& value) {
    std::lock_guard guard(lock_);
    auto found = index_.find(key);
    if (found == index_.end()) return false;
    entries_.splice(entries_.begin(), entries_, found->second);
    value = found->second->second;
    return true;
  }
  void put(int key, long value) {
    std::lock_guard guard(lock_);
    if (index_.count(key)) return;
    entries_.emplace_front(key, value);
    index_[key] = entries_.begin();
    if (entries_.size() > 32) {
      index_.erase(entries_.back().first);
      entries_.pop_back();
    }
  }
  uint64_t hash() const {
    uint64_t hash = 0;
    for (auto [key, value] : entries_) hash = mix(hash, static_cast<uint64_t>(key * 1000 + value));
    return hash;
  }

 private:
  std::mutex lock_;
  std::list<std::pair<int, long>> entries_;
  std::unordered_map<int, std::list<std::pair<int, long>>::iterator> index_;
};

Cache cache;
long hits, misses;

static uint64_t body(int index) {
  uint32_t random = static_cast<uint32_t>(index) + 21;
  uint64_t hash = 0;
  for (int i = 0, n = share_of(5000); i < n; i++) {
    int key = static_cast<int>(next_random(&random) % 60);
    long value = 0;
    if (cache.get(key, value)) {
      hits++;
      hash = mix(hash, static_cast<uint64_t>(value));
    } else {
      misses++;
      cache.put(key, index * 100 + i % 100);
    }
    yield_every(i, 64);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  std::printf("%ld hits, %ld misses, contents %016" PRIx64 "\n", hits, misses, cache.hash());
  print_results();
}
