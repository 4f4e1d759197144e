// Crashes at a time that depends on an input that no recorder sees (hidden_input.cc): a replay crashes earlier or later, of
// the same signal.
#include <stdio.h>
#include <time.h>

static unsigned hidden_input() {
  unsigned value;
  asm volatile(".byte 0x0f, 0xc7, 0xf0" : "=a"(value) : : "cc");
  return value;
}

int main() {
  unsigned last = 1000 + hidden_input() % 50000;
  volatile int* nowhere = nullptr;
  for (unsigned i = 0; i <= last; i++) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (i == last) *nowhere = static_cast<int>(now.tv_nsec);
  }
}
