#include "part.h"

#include <mutex>
#include <thread>

std::vector<int> collect(int threads) {
  std::vector<int> order;
  std::mutex lock;
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; i++) {
    pool.emplace_back([&, i] {
      for (int k = 0; k < 10; k++) {
        std::lock_guard guard(lock);
        order.push_back(i);
      }
    });
  }
  for (auto& thread : pool) thread.join();
  return order;
}
