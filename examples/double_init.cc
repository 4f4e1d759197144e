// Racy lazy initialisation: two threads find the table missing, both make one, and what went into the first is lost.
//
// Exit status 1 if it was made twice. The fix: std::call_once or a static local.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "hiccup.h"

std::atomic<int> made;
std::vector<int>* volatile table;

std::vector<int>* make_table() {
  hiccup(8);
  made++;
  return new std::vector<int>(100);
}

void worker() {
  for (volatile int i = 0; i < 3000;) i = i + 1;
  if (table == nullptr) table = make_table();
  (*table)[0]++;
}

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; i++) workers.emplace_back(worker);
  for (auto& thread : workers) thread.join();
  std::printf("made %d times, counted %d of 4\n", made.load(), (*table)[0]);
  return made > 1 ? 1 : 0;
}
