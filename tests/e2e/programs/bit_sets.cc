// Neighbours in one word: std::vector<bool>, std::bitset and bit operations on what several threads change.
#include <bit>
#include <bitset>
#include <vector>

#include "support.h"

static std::vector<bool> flags(512);
static std::bitset<256> set;
static uint64_t words[8];

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t state = static_cast<uint32_t>(index) * 31 + 7;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    uint32_t at = next_random(&state);
    flags[at % 512] = !flags[(at >> 9) % 512];
    set.flip(at % 256);
    words[at % 8] = std::rotl(words[(at >> 3) % 8] ^ at, static_cast<int>(at % 64));
    if (i % 8 == 0) {
      hash = mix(hash, set.count());
      hash = mix(hash, static_cast<uint64_t>(std::popcount(words[at % 8])));
      for (size_t k = at % 500; k < at % 500 + 8; k++) hash = mix(hash, flags[k]);
    }
    yield_every(i, 200);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  size_t left = 0;
  for (bool flag : flags) left += flag;
  std::printf("%zu flags, %zu bits\n", left, set.count());
  return 0;
}
