// Double-checked locking done right, with an atomic pointer and with a static local; who won is printed.
#include <atomic>
#include <mutex>

#include "support.h"

struct Service {
  int creator;
  long calls;
};

constexpr int kServices = 40;
std::atomic<Service*> services[kServices];
std::mutex lock;
int slow_paths;

static Service& get(int which, int index) {
  Service* seen = services[which].load(std::memory_order_acquire);
  if (seen == nullptr) {
    std::lock_guard guard(lock);
    slow_paths++;
    seen = services[which].load(std::memory_order_relaxed);
    if (seen == nullptr) {
      seen = new Service{index, 0};
      services[which].store(seen, std::memory_order_release);
    }
  }
  return *seen;
}

static Service& get_static(int index) {
  static Service service = [index] {
    sched_yield();
    return Service{index + 1000, 0};
  }();
  return service;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0; i < kServices; i++) {
    Service& service = get(i, index);
    hash = mix(hash, static_cast<uint64_t>(service.creator + service.calls++));
    Service& fixed = get_static(index);
    hash = mix(hash, static_cast<uint64_t>(fixed.creator + fixed.calls++));
    if (i % 4 == index % 4) sched_yield();
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (auto& service : services) std::printf("%d ", service.load()->creator);
  std::printf("\nstatic by %d, slow paths %d\n", get_static(0).creator, slow_paths);
  print_results();
  for (auto& service : services) delete service.load();
}
