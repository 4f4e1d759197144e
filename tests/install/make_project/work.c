#include "work.h"

long counter;

static long add(long value) { return value + 1; }

void *work(void *argument) {
  for (int i = 0; i < 20000; i++) counter = add(counter);
  return argument;
}
