// Polymorphic allocators: a synchronized pool that threads share, monotonic buffers of their own.
#include <map>
#include <memory_resource>
#include <string>
#include <vector>

#include "support.h"

static std::pmr::synchronized_pool_resource pool;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(60); i < n; i++) {
    std::pmr::vector<std::pmr::string> words(&pool);
    for (int k = 0; k < 20; k++) words.emplace_back("a word that is longer than the small ones, number " + std::to_string(k));
    hash = mix(hash, reinterpret_cast<uintptr_t>(words.back().data()));
    char room[2048];
    std::pmr::monotonic_buffer_resource own(room, sizeof room, &pool);
    std::pmr::map<int, std::pmr::string> table(&own);
    for (int k = 0; k < 30; k++) table.emplace(k * index, "value");
    hash = mix(hash, table.size() + reinterpret_cast<uintptr_t>(&*table.rbegin()) % 4096);
    yield_every(i, 4);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
}
