// Hash tables that are looked at without the lock under which they change: their sizes, the point at which they grow, and
// keys that are rewritten while others hash them.
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "support.h"

static std::unordered_map<std::string, int> table;
static std::unordered_set<int> numbers;
static std::mutex lock;
static char key[24] = "key";

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t state = static_cast<uint32_t>(index) + 77;
  for (int i = 0, n = share_of(8000); i < n; i++) {
    uint32_t random = next_random(&state);
    if (i % 8 == 0) key[random % 16] = static_cast<char>('a' + index);
    hash = mix(hash, std::hash<std::string_view>()(std::string_view(key, 16)));
    hash = mix(hash, table.bucket_count() + numbers.size());
    std::lock_guard guard(lock);
    table[std::to_string(random % 3000)] += index;
    numbers.insert(static_cast<int>(random % 5000));
    if (random % 500 == 0) numbers.rehash(numbers.size());
    yield_every(i, 60);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  uint64_t order = 0;
  for (const auto& [text, sum] : table) order = mix(order, text.size() * 1000 + static_cast<uint64_t>(sum));
  for (int number : numbers) order = mix(order, static_cast<uint64_t>(number));
  std::printf("%zu %zu %zu %016" PRIx64 "\n", table.size(), table.bucket_count(), numbers.bucket_count(), order);
}
