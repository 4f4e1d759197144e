// Vectors of a fixed size, raced on by element, by swap, by std::sort of parts and by accumulate.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "support.h"

std::vector<int> numbers(1024);
std::vector<std::array<short, 6>> records(128);

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t random = static_cast<uint32_t>(index) + 11;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    uint32_t r = next_random(&random);
    size_t at = r % 1000;
    numbers[at] += numbers[at + 3] + index;
    std::swap(numbers[at], numbers[(r >> 16) % 1024]);
    records[at % 128][r % 6]++;
    records[(at + 1) % 128] = records[at % 128];
    if (i % 8 == 0) {
      hash = mix(hash, static_cast<uint64_t>(std::accumulate(numbers.begin(), numbers.end(), 0u)));
      std::vector<int> copy(numbers.begin() + static_cast<long>(at % 500),
                            numbers.begin() + static_cast<long>(at % 500 + 100));
      std::sort(copy.begin(), copy.end());
      hash = mix(hash, static_cast<uint64_t>(copy[50]));
    }
    hash = mix(hash, static_cast<uint64_t>(records[at % 128][0]));
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::iota(numbers.begin(), numbers.end(), 0);
  run_threads(body);
  std::printf("sum %u\n", std::accumulate(numbers.begin(), numbers.end(), 0u));
  print_results();
}
