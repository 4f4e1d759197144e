// How long the program computes before it prints is an input that no recorder sees: rdrand, in bytes that nobody takes
// for an instruction. A replay that computes for longer comes to where the thread ended before it has printed anything.
#include <stdio.h>

static volatile unsigned steps;

int main() {
  unsigned wanted;
  asm volatile(".byte 0x0f, 0xc7, 0xf0" : "=a"(wanted) : : "cc");
  for (unsigned i = 0; i < (wanted & 0xffff); i++) steps = steps + i;
  puts("done");
}
