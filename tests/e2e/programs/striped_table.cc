// A hash table with a lock per stripe, and a racy count of its entries.
#include <mutex>
#include <string>
#include <vector>

#include "support.h"

constexpr size_t kStripes = 8, kBuckets = 128;
struct Entry {
  std::string key;
  long value;
};
std::mutex stripes[kStripes];
std::vector<Entry> buckets[kBuckets];
int racy_size;

static long add(const std::string& key, long amount) {
  size_t bucket = 0;
  for (char c : key) bucket = bucket * 31 + static_cast<unsigned char>(c);
  bucket %= kBuckets;
  std::lock_guard guard(stripes[bucket % kStripes]);
  for (Entry& entry : buckets[bucket]) {
    if (entry.key != key) continue;
    entry.value = entry.value * 3 + amount;
    return entry.value;
  }
  buckets[bucket].push_back({key, amount});
  racy_size++;
  return 0;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t random = static_cast<uint32_t>(index) + 5;
  for (int i = 0, n = share_of(4000); i < n; i++) {
    hash = mix(hash, static_cast<uint64_t>(add("item-" + std::to_string(next_random(&random) % 400), index)));
    yield_every(i, 64);
  }
  return mix(hash, static_cast<uint64_t>(racy_size));
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  uint64_t hash = 0;
  for (auto& bucket : buckets)
    for (auto& entry : bucket) hash = mix(hash, static_cast<uint64_t>(entry.value) + entry.key.size());
  std::printf("size %d contents %016" PRIx64 "\n", racy_size, hash);
  print_results();
}
