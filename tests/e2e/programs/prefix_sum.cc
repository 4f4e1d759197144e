// Prefix sums by blocks whose offsets are passed along with bounded spinning and racy reads.
#include <atomic>
#include <vector>

#include "support.h"

constexpr int kSize = 1 << 14, kBlocks = 64;
std::vector<unsigned> input(kSize), output(kSize);
std::atomic<int> next_block;
std::atomic<unsigned> block_sum[kBlocks];
std::atomic<bool> block_ready[kBlocks];

static uint64_t body(int index) {
  uint64_t hash = static_cast<uint64_t>(index), spins = 0;
  constexpr int kBlock = kSize / kBlocks;
  for (int block; (block = next_block.fetch_add(1)) < kBlocks;) {
    hash = mix(hash, static_cast<uint64_t>(block));
    unsigned sum = 0;
    for (int i = block * kBlock; i < (block + 1) * kBlock; i++)
      output[static_cast<size_t>(i)] = sum += input[static_cast<size_t>(i)];
    unsigned before = 0;
    if (block > 0) {
      while (!block_ready[block - 1].load(std::memory_order_acquire)) {
        spins++;
        sched_yield();
      }
      before = block_sum[block - 1].load(std::memory_order_relaxed);
    }
    block_sum[block].store(before + sum, std::memory_order_relaxed);
    block_ready[block].store(true, std::memory_order_release);
    for (int i = block * kBlock; i < (block + 1) * kBlock; i++) output[static_cast<size_t>(i)] += before;
  }
  return mix(hash, spins);
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < kSize; i++) input[static_cast<size_t>(i)] = static_cast<unsigned>(i % 17);
  run_threads(body);
  std::printf("last %u\n", output[kSize - 1]);
  print_results();
}
