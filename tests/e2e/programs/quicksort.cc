// Parallel quicksort with a shared stack of ranges; which thread sorted which range is part of the result.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "support.h"

constexpr int kSize = 30000;
int numbers[kSize];
std::mutex lock;
std::condition_variable changed;
std::vector<std::pair<int, int>> ranges;
int sorted;

static bool take(std::pair<int, int>& range) {
  std::unique_lock guard(lock);
  changed.wait(guard, [] { return !ranges.empty() || sorted == kSize; });
  if (ranges.empty()) return false;
  range = ranges.back();
  ranges.pop_back();
  return true;
}

static uint64_t body(int index) {
  uint64_t hash = static_cast<uint64_t>(index);
  std::pair<int, int> range;
  while (take(range)) {
    auto [first, last] = range;
    hash = mix(hash, static_cast<uint64_t>(first) * 100000 + static_cast<uint64_t>(last));
    if (last - first < 400) {
      std::sort(numbers + first, numbers + last);
      std::lock_guard guard(lock);
      sorted += last - first;
      if (sorted == kSize) changed.notify_all();
      continue;
    }
    int pivot = numbers[(first + last) / 2];
    int* middle = std::partition(numbers + first, numbers + last, [pivot](int v) { return v < pivot; });
    int* upper = std::partition(middle, numbers + last, [pivot](int v) { return v == pivot; });
    std::lock_guard guard(lock);
    sorted += static_cast<int>(upper - middle);
    if (middle > numbers + first) ranges.emplace_back(first, static_cast<int>(middle - numbers));
    if (upper < numbers + last) ranges.emplace_back(static_cast<int>(upper - numbers), last);
    changed.notify_all();
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  uint32_t random = 2024;
  for (int& n : numbers) n = static_cast<int>(next_random(&random) % 100000);
  ranges.emplace_back(0, kSize);
  run_threads(body);
  std::printf("sorted %d, first %d, last %d\n", std::is_sorted(numbers, numbers + kSize), numbers[0],
              numbers[kSize - 1]);
  print_results();
}
