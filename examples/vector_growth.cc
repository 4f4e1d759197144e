// Iterator invalidation: one thread walks over a vector while another appends, and the vector moves.
//
// Exit status 1, or a crash, if the walk went through memory that was no longer the vector. The fix: a lock.
#include <cstdio>
#include <thread>
#include <vector>

#include "hiccup.h"

struct Item {
  volatile long value = 1;
  ~Item() { value = 0; }
};

std::vector<Item> items(32);

volatile bool done;

void append() {
  for (int i = 0; i < 100; i++) {
    items.emplace_back();
    for (volatile int work = 0; work < 3000;) work = work + 1;
  }
  done = true;
}

bool good(const Item& item) {
  hiccup(30000);
  return item.value == 1;
}

int main() {
  int bad = 0;
  std::thread thread(append);
  while (!done)
    for (const Item& item : items) bad += !good(item);
  thread.join();
  std::printf("%d items were not there any more\n", bad);
  return bad > 0 ? 1 : 0;
}
