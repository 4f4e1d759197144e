// Deques of Chase and Lev: owners take from the bottom, thieves from the top; who ran what is printed.
#include <atomic>

#include "support.h"

constexpr int kCapacity = 4096;
struct alignas(64) Deque {
  std::atomic<long> top{0}, bottom{0};
  std::atomic<int> tasks[kCapacity];

  void push(int task) {
    long b = bottom.load(std::memory_order_relaxed);
    tasks[b % kCapacity].store(task, std::memory_order_relaxed);
    bottom.store(b + 1, std::memory_order_release);
  }
  int take() {
    long b = bottom.load(std::memory_order_relaxed) - 1;
    bottom.store(b, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    long t = top.load(std::memory_order_relaxed);
    int task = -1;
    if (t <= b) {
      task = tasks[b % kCapacity].load(std::memory_order_relaxed);
      if (t != b) return task;
      if (!top.compare_exchange_strong(t, t + 1)) task = -1;
    }
    bottom.store(b + 1, std::memory_order_relaxed);
    return task;
  }
  int steal() {
    long t = top.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (t >= bottom.load(std::memory_order_acquire)) return -1;
    int task = tasks[t % kCapacity].load(std::memory_order_relaxed);
    return top.compare_exchange_strong(t, t + 1) ? task : -1;
  }
};

Deque deques[kMaxThreads];
std::atomic<int> pending;

static uint64_t body(int index) {
  uint64_t hash = 0, stolen = 0;
  uint32_t random = static_cast<uint32_t>(index) + 1;
  while (pending.load() > 0) {
    int task = deques[index].take();
    if (task < 0) {
      task = deques[next_random(&random) % static_cast<unsigned>(threads)].steal();
      stolen += task >= 0;
    }
    if (task < 0) {
      sched_yield();
      continue;
    }
    hash = mix(hash, static_cast<uint64_t>(task));
    for (volatile int k = 0; k < task % 100;) k = k + 1;
    if (task > 1) {
      pending.fetch_add(2);
      deques[index].push(task / 2);
      deques[index].push(task - task / 2 - 1);
    }
    pending.fetch_sub(1);
  }
  return mix(hash, stolen);
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < 4; i++) {
    pending.fetch_add(1);
    deques[0].push(700);
  }
  run_threads(body);
  print_results();
}
