// Each thread writes where an input says that no recorder sees: rdrand, in bytes that nobody takes for an instruction.
// So a replay goes to other places.
#include <stdio.h>

#include <atomic>
#include <thread>
#include <vector>

static volatile unsigned cells[1 << 16];

static unsigned hidden_input() {
  unsigned value;
  asm volatile(".byte 0x0f, 0xc7, 0xf0" : "=a"(value) : : "cc");
  return value;
}

static std::atomic<int> started;

static void body() {
  started++;
  while (started < 4) std::this_thread::yield();
  for (int i = 0; i < 200000; i++) {
    unsigned at = hidden_input() & 0xffff;
    cells[at] = cells[at] + 1;
    cells[0] = cells[0] + 1;
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(body);
  for (auto& thread : threads) thread.join();
  puts("done");
}
