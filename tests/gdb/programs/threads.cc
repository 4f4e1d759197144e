// Threads that take turns at a counter under a lock, and one that nobody locks.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

std::mutex lock;
long counter;
long unlocked;
long mine[3];

void count(int id) {
  for (int i = 0; i < 20; i++) {
    {
      std::lock_guard guard(lock);
      counter++;
    }
    unlocked = unlocked + 1;
    mine[id]++;
  }
}

int main() {
  std::vector<std::thread> all;
  for (int id = 0; id < 3; id++) all.emplace_back(count, id);
  for (auto& thread : all) thread.join();
  std::printf("counter %ld\n", counter);
}
