// std::jthread with stop_token, stop_callback and condition_variable_any that stops waiting when asked.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "support.h"

std::mutex lock;
std::condition_variable_any changed;
std::atomic<int> steps;
int stopped_waits, callbacks;

static void work(std::stop_token token, int index) {
  std::stop_callback on_stop(token, [] {
    std::lock_guard guard(lock);
    callbacks++;
  });
  uint64_t mine = 0;
  while (!token.stop_requested()) {
    mine++;
    steps++;
    if (mine % 64 == 0) std::this_thread::yield();
    if (mine % 500 == 0) {
      std::unique_lock guard(lock);
      bool met = changed.wait(guard, token, [&] { return steps.load() % 3 == index % 3; });
      stopped_waits += !met;
    }
  }
  results[index] = mine;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  {
    std::vector<std::jthread> pool;
    for (int i = 0; i < threads; i++) pool.emplace_back(work, i);
    for (int i = 0; i < 5000 && steps.load() < 10000; i++) {
      {
        std::lock_guard guard(lock);
        steps++;
      }
      changed.notify_all();
      std::this_thread::yield();
    }
    pool.front().request_stop();
  }
  std::printf("steps %d, stopped waits %d, callbacks %d\n", steps.load(), stopped_waits, callbacks);
  print_results();
}
