// Parallel radix sort of n keys of 32 bits, eight bits at a time, with shared histograms.
#include "bench.h"

constexpr int kBits = 8, kBuckets = 1 << kBits;
static int size;
static std::vector<uint32_t> keys[2];
static std::vector<int> counts;  // [thread][bucket]

static void body(int index) {
  bench::Part mine = bench::part(index, size);
  int* own = &counts[static_cast<size_t>(index) * kBuckets];
  for (int shift = 0, from = 0; shift < 32; shift += kBits, from ^= 1) {
    const uint32_t* in = keys[from].data();
    uint32_t* out = keys[from ^ 1].data();
    for (int b = 0; b < kBuckets; b++) own[b] = 0;
    for (int i = mine.first; i < mine.last; i++) own[(in[i] >> shift) & (kBuckets - 1)]++;
    bench::barrier();
    int offset[kBuckets], sum = 0;
    for (int b = 0; b < kBuckets; b++)
      for (int t = 0; t < bench::threads; t++) {
        if (t == index) offset[b] = sum;
        sum += counts[static_cast<size_t>(t * kBuckets + b)];
      }
    for (int i = mine.first; i < mine.last; i++) out[offset[(in[i] >> shift) & (kBuckets - 1)]++] = in[i];
    bench::barrier();
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  size = bench::size(24 << 20);
  for (auto& k : keys) k.resize(static_cast<size_t>(size));
  counts.resize(static_cast<size_t>(bench::threads) * kBuckets);
  uint64_t random = bench::random_state(7), before = 0;
  for (auto& key : keys[0]) {
    key = static_cast<uint32_t>(bench::next_random(random));
    before += static_cast<uint64_t>(key) * key;
  }
  bench::run(body);
  return bench::finish(bench::check_sorted(keys[0], before));
}
