// The algorithms of the library on halves of arrays that overlap with what other threads work on.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "support.h"

static std::vector<int> field(512);

static uint64_t body(int index) {
  uint64_t hash = 0;
  std::mt19937 generator(static_cast<unsigned>(index));
  for (int i = 0, n = share_of(40); i < n; i++) {
    auto from = field.begin() + static_cast<long>(generator() % 200), to = from + 200;
    switch (i % 8) {
      case 0: std::shuffle(from, to, generator); break;
      case 1: std::rotate(from, from + 50, to); break;
      case 2: std::transform(from, to, from, [index](int x) { return x * 3 + index; }); break;
      case 3: hash = mix(hash, static_cast<uint64_t>(std::accumulate(from, to, 0L))); break;
      case 4: std::reverse(from, to); break;
      case 5: hash = mix(hash, static_cast<uint64_t>(std::count_if(from, to, [](int x) { return x % 2; }))); break;
      case 6: std::partial_sum(from, from + 20, from); break;
      default: hash = mix(hash, static_cast<uint64_t>(*std::max_element(from, to))); break;
    }
    std::vector<int> own(from, to);
    std::nth_element(own.begin(), own.begin() + 20, own.end());
    std::stable_sort(own.begin(), own.end());
    hash = mix(hash, static_cast<uint64_t>(own[40]) + static_cast<uint64_t>(std::unique(own.begin(), own.end()) - own.begin()));
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::iota(field.begin(), field.end(), 0);
  run_threads(body);
  print_results();
}
