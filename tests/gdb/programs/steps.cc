// One thread: functions, a loop, a variable that is written a known number of times.
#include <cstdio>

int total;

int square(int n) {
  int result = n * n;
  return result;
}

void add(int n) {
  int part = square(n);
  total += part;
}

int main() {
  for (int i = 1; i <= 5; i++)
    add(i);
  std::printf("total %d\n", total);
  return 0;
}
