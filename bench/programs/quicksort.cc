// Quicksort of n numbers with a shared stack of ranges and a condition variable; small ranges are sorted where they
// are. It is the papers' qs, quicksort and qsort.
#include <algorithm>

#include "bench.h"

static int small;
static std::vector<int> numbers;
static std::vector<bench::Part> ranges;
static int unsorted;  // numbers not yet in ranges that are done
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int partition(int* a, int first, int last) {
  int pivot = a[(first + last) / 2], i = first - 1, j = last;
  for (;;) {
    while (a[++i] < pivot) {}
    while (a[--j] > pivot) {}
    if (i >= j) return j + 1;
    int t = a[i];
    a[i] = a[j];
    a[j] = t;
  }
}

static void sort_small(int* a, int first, int last) {
  while (last - first > 16) {
    int middle = partition(a, first, last);
    sort_small(a, first, middle);
    first = middle;
  }
  for (int i = first + 1; i < last; i++) {
    int value = a[i], j = i;
    for (; j > first && a[j - 1] > value; j--) a[j] = a[j - 1];
    a[j] = value;
  }
}

static void body(int) {
  pthread_mutex_lock(&lock);
  while (unsorted > 0) {
    if (ranges.empty()) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    bench::Part range = ranges.back();
    ranges.pop_back();
    pthread_mutex_unlock(&lock);
    bench::saw(static_cast<uint64_t>(range.first));
    bench::give_way();
    while (range.last - range.first > small) {
      int middle = partition(numbers.data(), range.first, range.last);
      pthread_mutex_lock(&lock);
      ranges.push_back({middle, range.last});
      pthread_cond_signal(&changed);
      pthread_mutex_unlock(&lock);
      range.last = middle;
    }
    sort_small(numbers.data(), range.first, range.last);
    pthread_mutex_lock(&lock);
    unsorted -= range.last - range.first;
    if (unsorted == 0) pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  int size = bench::size(12000000);
  numbers.resize(static_cast<size_t>(size));
  small = std::clamp(size / 64, 8, 4096);
  uint64_t random = bench::random_state(3), before = 0;
  for (auto& n : numbers) {
    n = static_cast<int>(bench::next_random(random) >> 33);
    before += static_cast<uint64_t>(n) * static_cast<uint64_t>(n);
  }
  unsorted = size;
  ranges.push_back({0, size});
  bench::run(body);
  return bench::finish(bench::check_sorted(numbers, before));
}
