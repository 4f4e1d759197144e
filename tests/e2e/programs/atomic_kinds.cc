// std::atomic_ref, atomic<float>, atomic<double>, atomic_flag, atomic<bool>, and a type too large to be
// lock-free-small.
#include <atomic>

#include "support.h"

struct alignas(8) Pair {
  int first, second;
};

float plain_float;
alignas(8) long plain_long;
std::atomic<float> sum_float;
std::atomic<double> sum_double;
std::atomic_flag flag = ATOMIC_FLAG_INIT;
std::atomic<bool> toggled;
std::atomic<Pair> pair;

static uint64_t body(int index) {
  uint64_t hash = 0, waits = 0;
  std::atomic_ref<long> long_ref(plain_long);
  std::atomic_ref<float> float_ref(plain_float);
  for (int i = 0, n = share_of(6000); i < n; i++) {
    hash = mix(hash, static_cast<uint64_t>(long_ref.fetch_add(index + 1)));
    float_ref.store(float_ref.load() + 1.5f);
    sum_float.fetch_add(0.1f);
    sum_double.fetch_sub(sum_float.load() * 1e-3);
    while (flag.test_and_set(std::memory_order_acquire)) {
      waits++;
      sched_yield();
    }
    plain_long ^= index;
    flag.clear(std::memory_order_release);
    hash = mix(hash, toggled.exchange(!toggled.load()));
    Pair seen = pair.load();
    while (!pair.compare_exchange_weak(seen, Pair{seen.second + index, seen.first})) waits++;
    hash = mix(hash, static_cast<uint64_t>(seen.first));
    yield_every(i, 128);
  }
  return mix(hash, waits);
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  std::printf("%.9g %.9g %.17g %ld %d\n", plain_float, sum_float.load(), sum_double.load(), plain_long,
              pair.load().first);
  print_results();
}
