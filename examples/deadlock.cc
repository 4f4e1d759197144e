// Deadlock: two threads take the same two locks in opposite orders. A watchdog aborts the program when nothing moves.
//
// Ends with SIGABRT if the threads are stuck; after the replay, the streams show who waits where. The fix: one order.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "hiccup.h"

std::mutex left, right, state;
std::condition_variable ended;
int running = 2;
long transfers;

void transfer(std::mutex& from, std::mutex& to) {
  std::lock_guard first(from);
  hiccup(2000);
  std::lock_guard second(to);
  transfers++;
}

void worker(bool forwards) {
  for (int i = 0; i < 150; i++) forwards ? transfer(left, right) : transfer(right, left);
  std::lock_guard guard(state);
  running--;
  ended.notify_one();
}

void watchdog() {
  std::unique_lock guard(state);
  if (ended.wait_for(guard, std::chrono::milliseconds(400), [] { return running == 0; })) return;
  std::fprintf(stderr, "nothing moves: deadlock after %ld transfers\n", transfers);
  std::abort();
}

int main() {
  std::thread guard(watchdog), one(worker, true), two(worker, false);
  one.join();
  two.join();
  guard.join();
  std::printf("%ld transfers\n", transfers);
}
