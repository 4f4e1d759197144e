// Asks for as many times as an input says that no recorder sees: rdrand, in bytes that nobody takes for an instruction. So
// a replay wants another system call than the recording has.
#include <stdio.h>
#include <unistd.h>

static unsigned hidden_input() {
  unsigned value;
  asm volatile(".byte 0x0f, 0xc7, 0xf0" : "=a"(value) : : "cc");
  return value;
}

int main() {
  for (int i = 0; i < 64; i++) {
    if (hidden_input() & 1) getppid();
    else getuid();
  }
  puts("done");
}
