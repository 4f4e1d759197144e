// Lost wake-up: the consumer looks at the flag without the lock, and the producer signals before the consumer waits.
//
// Exit status 1 if the consumer slept although there was work. The fix: test the flag under the lock.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "hiccup.h"

constexpr int kItems = 30;
std::mutex lock;
std::condition_variable ready;
std::atomic<int> produced, consumed;
std::atomic<bool> slept_too_long;

void consumer() {
  while (consumed < kItems) {
    if (produced == consumed) {
      hiccup(400);
      std::unique_lock guard(lock);
      if (ready.wait_for(guard, std::chrono::milliseconds(300)) == std::cv_status::timeout) {
        slept_too_long = produced != consumed;
        if (slept_too_long) return;
      }
    } else {
      consumed++;
    }
  }
}

void producer() {
  for (int i = 0; i < kItems; i++) {
    while (produced != consumed && !slept_too_long) std::this_thread::yield();
    for (volatile int work = 0; work < 2000;) work = work + 1;
    produced++;
    ready.notify_one();
  }
}

int main() {
  std::thread one(consumer), two(producer);
  one.join();
  two.join();
  std::printf("%d produced, %d consumed%s\n", produced.load(), consumed.load(),
              slept_too_long ? ": a wake-up was lost" : "");
  return slept_too_long ? 1 : 0;
}
