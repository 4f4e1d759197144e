// The greatest common divisor of n numbers: whoever is free takes two from a shared list, works out theirs by Euclid's
// algorithm where they lie, and puts the one that is left back.
#include <numeric>

#include "bench.h"

static std::vector<uint64_t> numbers;
static std::vector<int> list;  // of those still to be reduced
static int busy;               // threads that will put one back
static bench::SpinLock lock;

// Takes two numbers, or says by `false` that there is nothing more to do.
static bool take_pair(int& a, int& b) {
  bool taken = false;
  bench::give_way();
  bench::spin_until([&] {
    bench::Locked<bench::SpinLock> locked(lock);
    if (list.size() < 2) return busy == 0;
    a = list.back();
    list.pop_back();
    b = list.back();
    list.pop_back();
    busy++;
    return taken = true;
  });
  return taken;
}

static void put_back(int a) {
  bench::Locked<bench::SpinLock> locked(lock);
  list.push_back(a);
  busy--;
}

static void body(int) {
  int a, b;
  while (take_pair(a, b)) {
    bench::saw(static_cast<uint64_t>(a) << 32 | static_cast<uint64_t>(b));
    while (numbers[b] != 0) {
      numbers[a] %= numbers[b];
      std::swap(a, b);
    }
    put_back(a);
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  numbers.resize(bench::size(10000000));
  uint64_t random = bench::random_state(29);
  uint64_t expected = 0;
  for (size_t i = 0; i < numbers.size(); i++) {
    numbers[i] = (bench::next_random(random) >> 16 | 1) * 6006;
    expected = std::gcd(expected, numbers[i]);
    list.push_back(static_cast<int>(i));
  }
  bench::run(body);
  bench::check(list.size() == 1, "%zu numbers are left", list.size());
  uint64_t found = numbers[list[0]];
  bench::check(found == expected, "%llu instead of %llu", static_cast<unsigned long long>(found),
               static_cast<unsigned long long>(expected));
  return bench::finish(found);
}
