// Crashes in every second run, by an input that no recorder sees (hidden_input.cc): replays of one that came to its end may
// crash, and must not be taken for it.
#include <stdio.h>

static unsigned hidden_input() {
  unsigned value;
  asm volatile(".byte 0x0f, 0xc7, 0xf0" : "=a"(value) : : "cc");
  return value;
}

int main() {
  volatile int* nowhere = nullptr;
  if (hidden_input() % 2) *nowhere = 1;
  puts("done");
}
