// Dining philosophers, forks taken in order so that nobody starves; the order of the meals is printed.
#include <mutex>

#include "support.h"

std::mutex forks[kMaxThreads], table;
unsigned char meals[5000];
int eaten;

static uint64_t body(int index) {
  int left = index, right = (index + 1) % threads;
  uint64_t hash = 0;
  for (int i = 0, n = share_of(1500); i < n; i++) {
    std::lock_guard first(forks[left < right ? left : right]);
    std::unique_lock<std::mutex> second;
    if (left != right) second = std::unique_lock(forks[left < right ? right : left]);
    {
      std::lock_guard guard(table);
      hash = mix(hash, static_cast<uint64_t>(eaten));
      meals[eaten++ % 5000] = static_cast<unsigned char>(index);
    }
    if (i % 16 == 0) sched_yield();
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < eaten && i < 5000; i++) std::printf("%d%c", meals[i], i % 40 == 39 ? '\n' : ' ');
  std::printf("\n");
  print_results();
}
