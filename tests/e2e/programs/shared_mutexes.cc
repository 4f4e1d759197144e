// Readers and writers with shared_mutex and shared_timed_mutex.
#include <chrono>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "support.h"

std::shared_mutex lock;
std::shared_timed_mutex timed;
std::map<int, int> table;
long version;

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t random = static_cast<uint32_t>(index) * 17 + 3;
  for (int i = 0, n = share_of(4000); i < n; i++) {
    int key = static_cast<int>(next_random(&random) % 50);
    if (i % 5 == 0) {
      std::unique_lock guard(lock);
      table[key] = table[(key + 1) % 50] + index;
      if (i % 3 == 0) table.erase((key + 7) % 50);
    } else {
      std::shared_lock guard(lock);
      auto found = table.find(key);
      hash = mix(hash, static_cast<uint64_t>(found == table.end() ? -1 : found->second));
    }
    if (i % 7 == 0 && timed.try_lock_for(std::chrono::microseconds(10))) {
      version += index;
      timed.unlock();
    } else if (timed.try_lock_shared_for(std::chrono::microseconds(10))) {
      hash = mix(hash, static_cast<uint64_t>(version));
      timed.unlock_shared();
    } else {
      hash = mix(hash, 1);
    }
    yield_every(i, 64);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (auto [key, value] : table) std::printf("%d=%d ", key, value);
  std::printf("version %ld\n", version);
  print_results();
}
