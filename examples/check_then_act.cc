// Atomicity violation: the check and the act are each under the lock, but not together.
//
// Exit status 1 if the stock went below zero. The fix: hold the lock over both.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "hiccup.h"

std::mutex lock;
int stock = 100, sold;

bool available() {
  std::lock_guard guard(lock);
  return stock > 0;
}

void take_one() {
  std::lock_guard guard(lock);
  stock--;
  sold++;
}

void buyer() {
  while (available()) {
    hiccup(1000);
    take_one();
  }
}

int main() {
  std::vector<std::thread> buyers;
  for (int i = 0; i < 3; i++) buyers.emplace_back(buyer);
  for (auto& thread : buyers) thread.join();
  std::printf("sold %d of 100, stock %d\n", sold, stock);
  return stock < 0 ? 1 : 0;
}
