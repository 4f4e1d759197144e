// Merge sort of n numbers: each thread sorts its part, then threads merge pairs of parts as in a tournament, the one on
// the left waiting for a word of the one on the right.
#include "bench.h"

struct Done {
  alignas(64) std::atomic<int> rounds{0};
};

static std::vector<int> numbers, merged;
static std::vector<Done> done;

// Merges [first, middle) and [middle, last) of numbers, by way of the same places of merged.
static void merge(int first, int middle, int last) {
  for (int a = first, b = middle, to = first; to < last; to++)
    merged[to] = b == last || (a < middle && numbers[a] <= numbers[b]) ? numbers[a++] : numbers[b++];
  for (int i = first; i < last; i++) numbers[i] = merged[i];
}

static void sort_part(int first, int last) {
  if (last - first < 2) return;
  int middle = first + (last - first) / 2;
  sort_part(first, middle);
  sort_part(middle, last);
  if (last - first >= 32) bench::give_way();
  merge(first, middle, last);
}

static void body(int index) {
  int size = static_cast<int>(numbers.size());
  auto start = [size](int thread) { return thread < bench::threads ? bench::part(thread, size).first : size; };
  sort_part(start(index), start(index + 1));
  done[index].rounds.store(1, std::memory_order_release);
  for (int round = 1, width = 1; width < bench::threads && index % (2 * width) == 0; round++, width *= 2) {
    int partner = index + width;
    if (partner < bench::threads) {
      bench::spin_until([&] { return done[partner].rounds.load(std::memory_order_acquire) >= round; });
      merge(start(index), start(partner), start(partner + width));
    }
    done[index].rounds.store(round + 1, std::memory_order_release);
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  numbers.resize(bench::size(10000000));
  merged.resize(numbers.size());
  done = std::vector<Done>(bench::threads);
  uint64_t random = bench::random_state(61), before = 0;
  for (auto& number : numbers) {
    number = bench::random_below(random, 1 << 30);
    before += static_cast<uint64_t>(number) * static_cast<uint64_t>(number);
  }
  bench::run(body);
  return bench::finish(bench::check_sorted(numbers, before));
}
