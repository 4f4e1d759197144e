// Off by one in a ring: "full" is tested with > instead of >=, so a fast producer overwrites what was not yet taken.
//
// Exit status 1 if an item is missing or comes twice. The fix: leave one slot free, or test for >=.
#include <atomic>
#include <cstdio>
#include <thread>

#include "hiccup.h"

constexpr unsigned kSlots = 16;
constexpr int kItems = 60;
int ring[kSlots];
std::atomic<unsigned> head, tail;

void producer() {
  for (int i = 0; i < kItems; i++) {
    while (head - tail > kSlots) std::this_thread::yield();
    ring[head % kSlots] = i;
    head++;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

int main() {
  int wrong = 0;
  std::thread thread(producer);
  for (int i = 0; i < kItems; i++) {
    while (tail == head) std::this_thread::yield();
    wrong += ring[tail % kSlots] != i;
    tail++;
    hiccup(250, 4000);
  }
  thread.join();
  std::printf("%d wrong items\n", wrong);
  return wrong > 0 ? 1 : 0;
}
