// atomic_ref, atomic<shared_ptr>, atomic floating point, flags with wait and notify, orders of all kinds.
#include <atomic>
#include <memory>

#include "support.h"

static int plain[4];
static std::atomic<std::shared_ptr<int>> current{std::make_shared<int>(0)};
static std::atomic<double> sum{0};
static std::atomic_flag gate;

static uint64_t body(int index) {
  uint64_t hash = 0;
  if (index == 0) {
    gate.test_and_set();
    gate.notify_all();
  } else {
    gate.wait(false);
  }
  for (int i = 0, n = share_of(1200); i < n; i++) {
    std::atomic_ref<int> word(plain[i % 4]);
    hash = mix(hash, static_cast<uint64_t>(word.fetch_add(index + 1, std::memory_order_acq_rel)));
    sum.fetch_add(0.5 * index + 1);
    hash = mix(hash, static_cast<uint64_t>(sum.load(std::memory_order_relaxed)));
    auto seen = current.load();
    hash = mix(hash, static_cast<uint64_t>(*seen));
    if (i % 8 == index % 8) current.compare_exchange_strong(seen, std::make_shared<int>(*seen + 1));
    int expected = i;
    hash = mix(hash, word.compare_exchange_weak(expected, 0, std::memory_order_release, std::memory_order_relaxed));
    yield_every(i, 50);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  std::printf("%d %.1f %d\n", *current.load(), sum.load(), plain[0]);
}
