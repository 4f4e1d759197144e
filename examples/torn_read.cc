// Torn read: a value of two words is read while it is written, and half of it is new.
//
// Exit status 1 if the halves do not fit. The fix: one lock for both, or a sequence counter.
#include <cstdio>
#include <thread>

#include "hiccup.h"

volatile long low, high;
volatile bool done;

void pause_for(int steps) {
  for (volatile int i = 0; i < steps;) i = i + 1;
}

void writer() {
  for (long i = 1; i <= 3; i++) {
    pause_for(30000);
    low = i;
    hiccup(25);
    high = i;
  }
  done = true;
}

int main() {
  int torn = 0;
  std::thread thread(writer);
  while (!done) {
    pause_for(1500);
    long second = high, first = low;
    torn += first != second;
  }
  thread.join();
  std::printf("%d reads were torn\n", torn);
  return torn > 0 ? 1 : 0;
}
