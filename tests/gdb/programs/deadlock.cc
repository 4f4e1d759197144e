// Two threads, two locks, each in its own order. The alarm ends it.
#include <barrier>
#include <mutex>
#include <thread>
#include <unistd.h>

std::mutex left, right;
std::barrier both(2);

void take(std::mutex& mine, std::mutex& other) {
  std::lock_guard first(mine);
  both.arrive_and_wait();
  std::lock_guard second(other);
}

int main() {
  alarm(1);
  std::thread one([] { take(left, right); }), two([] { take(right, left); });
  one.join();
  two.join();
}
