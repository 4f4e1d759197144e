// Four threads count, draw and measure without any lock. No two runs are the same.
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

constexpr int kSteps = 500000;
long counter;

// A call between reading and writing, as in most real programs: the window in which an update is lost.
[[gnu::noinline]] long next(long value) { return value + 1; }

void work(int index) {
  for (int i = 0; i < kSteps; i++) {
    counter = next(counter);
    if (i % (kSteps / 4) == 0) {
      std::printf("thread %d is at %d, the counter at %ld\n", index, i, counter);
      std::this_thread::yield();
    }
  }
}

int main() {
  auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  std::printf("counter %ld of %d, lucky number %u, %.3f microseconds\n", counter, 4 * kSteps,
              std::random_device()() % 1000, took.count());
}
