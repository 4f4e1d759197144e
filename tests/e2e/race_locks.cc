// Many locks that no other thread takes, some that others do, and among all that two races: `races` is told of most of it once
// only, to find out what it means (docs/races.md).
#include <atomic>
#include <cstring>
#include <thread>

constexpr int kTurns = 60000, kPasses = 200, kPlaces = 24;

struct Lock {
  std::atomic<int> taken{0};
  void lock() {
    while (taken.exchange(1, std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { taken.store(0, std::memory_order_release); }
};
struct Box {
  Lock lock;
  int value = 0;
};

Lock shared;
int guarded, handed, unguarded;
std::atomic<int> mixed{0}, turn{0};
Box* box;
int places[2][kPlaces][16];

__attribute__((noinline)) static int plain(const void* at) {
  int value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

static void work(int me, Lock& own) {
  for (int i = 0; i < kTurns; i++) {
    own.lock();
    for (auto& place : places[me]) place[0] += i;
    own.unlock();
    if (i < kTurns / 2 && i % (kTurns / 2 / kPasses) == 0) {
      shared.lock();
      guarded += i;
      shared.unlock();
    }
    if (i != kTurns * 3 / 4) continue;
    unguarded = i;
    if (me == 0) mixed.store(1, std::memory_order_release);
    else places[me][0][1] = plain(&mixed);
  }
}

static void first() {
  box = new Box;
  for (int i = 0; i < kTurns; i++) {
    box->lock.lock();
    box->value += i;
    box->lock.unlock();
  }
  handed = 1;
  turn.store(1, std::memory_order_release);
  Lock own;
  work(0, own);
}

static void second() {
  while (turn.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  handed++;
  box->lock.lock();
  box->lock.unlock();
  delete box;
  Lock own;
  work(1, own);
}

int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
