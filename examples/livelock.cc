// Livelock: two polite threads take their own lock, find the other one taken, step back, and meet again, and again.
//
// Exit status 1 if one of them gives up after too many attempts. The fix: one order of locks, or std::scoped_lock.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

#include "hiccup.h"

std::mutex fork_a, fork_b;
std::atomic<int> gave_up;

void reach_over() {
  hiccup(600);
  for (volatile int i = 0; i < 250;) i = i + 1;
}

// Returns false if it met the other one too often in a row.
bool eat(std::mutex& mine, std::mutex& other) {
  for (int attempt = 0; attempt < 12; attempt++) {
    mine.lock();
    reach_over();
    if (other.try_lock()) {
      other.unlock();
      mine.unlock();
      return true;
    }
    mine.unlock();
  }
  return false;
}

void diner(std::mutex& mine, std::mutex& other) {
  for (int meal = 0; meal < 40; meal++)
    if (!eat(mine, other)) gave_up++;
}

int main() {
  std::thread one(diner, std::ref(fork_a), std::ref(fork_b)), two(diner, std::ref(fork_b), std::ref(fork_a));
  one.join();
  two.join();
  std::printf("gave up %d times\n", gave_up.load());
  return gave_up > 0 ? 1 : 0;
}
