// Each thread writes where an input says that no recorder sees: assembly that does not tell the compiler which memory it
// changes. Threads interleave there in another way each time, so a replay goes to other places.
#include <stdio.h>

#include <atomic>
#include <thread>
#include <vector>

static unsigned tickets;
static volatile unsigned cells[1 << 16];

static unsigned next_ticket() {
  unsigned ticket = 1;
  asm volatile("lock xaddl %0, (%1)" : "+r"(ticket) : "r"(&tickets));
  return ticket;
}

static std::atomic<int> started;

static void body() {
  started++;
  while (started < 4) std::this_thread::yield();
  for (int i = 0; i < 300000; i++) {
    unsigned at = next_ticket() * 37 & 0xffff;
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
