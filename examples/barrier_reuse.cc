// Barrier reuse: a home-made barrier that the last thread resets while slow ones are still looking at it.
//
// Exit status 1 if a thread is left behind. The fix: a generation number, or std::barrier.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "hiccup.h"

constexpr int kThreads = 3;
std::atomic<int> arrived;
std::atomic<bool> stuck;

void wait_for_all() {
  if (++arrived == kThreads) {
    arrived = 0;
    return;
  }
  for (int spins = 0; arrived != 0; spins++) {  // the bug: it may be above zero again, for the next round
    if (spins > 200000) stuck = true;
    if (stuck) return;
    if (spins % 16 == 0) std::this_thread::yield();
  }
}

void worker() {
  for (int round = 0; round < 3 && !stuck; round++) {
    if (!one_in(30))
      std::this_thread::sleep_for(std::chrono::microseconds(400));  // now and then there is nothing to do
    wait_for_all();
  }
}

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < kThreads; i++) workers.emplace_back(worker);
  for (auto& thread : workers) thread.join();
  std::printf(stuck ? "a thread was left behind at the barrier\n" : "all rounds done\n");
  return stuck ? 1 : 0;
}
