// Eight queens, the first two rows handed out by a racing cursor and the counts summed without a lock.
#include <atomic>

#include "support.h"

constexpr int kQueens = 8;
std::atomic<int> next_task;
int racy_total;
std::atomic<int> exact_total;

static int solve(int row, unsigned columns, unsigned left, unsigned right) {
  if (row == kQueens) return 1;
  int found = 0;
  for (unsigned open = ~(columns | left | right) & ((1u << kQueens) - 1); open != 0; open &= open - 1) {
    unsigned bit = open & -open;
    found += solve(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

static uint64_t body(int index) {
  uint64_t hash = static_cast<uint64_t>(index);
  for (int task; (task = next_task.fetch_add(1)) < kQueens * kQueens;) {
    unsigned first = 1u << (task / kQueens), second = 1u << (task % kQueens);
    hash = mix(hash, static_cast<uint64_t>(task));
    if (second & (first | first << 1 | first >> 1)) continue;
    unsigned left = ((first << 1) | second) << 1, right = ((first >> 1) | second) >> 1;
    int found = solve(2, first | second, left, right);
    racy_total += found;
    exact_total += found;
    hash = mix(hash, static_cast<uint64_t>(racy_total));
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  std::printf("%d solutions, %d counted without care\n", exact_total.load(), racy_total);
  print_results();
}
