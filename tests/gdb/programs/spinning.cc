// One thread spins until another has seen it do so.
#include <atomic>
#include <thread>

std::atomic<int> spins, flag;

void set_flag() { flag = 1; }

int main() {
  std::thread other([] {
    while (spins < 1000) continue;
    set_flag();
  });
  while (!flag) spins++;
  other.join();
}
