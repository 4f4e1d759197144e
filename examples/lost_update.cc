// Lost update: two tellers read the balance, work on it and write it back; one deposit in between is forgotten.
//
// Exit status 1 if money is missing. The fix: read, compute and write under one lock.
#include <cstdio>
#include <thread>

#include "hiccup.h"

long balance;

long add_interest(long amount) {
  hiccup(20000);
  return amount + 1;
}

void deposit(int times) {
  for (int i = 0; i < times; i++) {
    long seen = balance;
    balance = add_interest(seen);
  }
}

int main() {
  constexpr int kTimes = 3000;
  std::thread one(deposit, kTimes), two(deposit, kTimes);
  one.join();
  two.join();
  std::printf("balance %ld of %d\n", balance, 2 * kTimes);
  return balance == 2 * kTimes ? 0 : 1;
}
