// new and delete of many types across threads, arrays, aligned new, placement; addresses are printed.
#include <atomic>
#include <memory>
#include <new>
#include <vector>

#include "support.h"

struct alignas(128) Wide {
  int values[40];
};
struct Base {
  virtual ~Base() = default;
  virtual int weight() const = 0;
};
struct Light : Base {
  int weight() const override { return 1; }
};
struct Heavy : Base {
  std::vector<int> load = std::vector<int>(37, 2);
  int weight() const override { return static_cast<int>(load.size()); }
};

std::atomic<Base*> exchange_box[8];

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(4000); i < n; i++) {
    Base* object = i & 1 ? static_cast<Base*>(new Heavy) : new Light;
    hash = mix(hash, reinterpret_cast<uintptr_t>(object));
    std::unique_ptr<Base> other(exchange_box[i & 7].exchange(object));
    if (other) hash = mix(hash, static_cast<uint64_t>(other->weight()));
    if (i % 16 == 0) {
      auto wide = std::make_unique<Wide>();
      std::unique_ptr<double[]> numbers(new double[static_cast<size_t>(i % 300 + 1)]);
      hash = mix(hash, reinterpret_cast<uintptr_t>(wide.get()) ^ reinterpret_cast<uintptr_t>(numbers.get()));
      sched_yield();
    }
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (auto& box : exchange_box) {
    std::printf("%p\n", static_cast<void*>(box.load()));
    delete box.load();
  }
  print_results();
}
