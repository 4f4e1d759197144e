// Calls into a library of its own that it is linked with.
// library: shapes
#include <cstdio>

extern "C" int measure(int width, int height);
extern "C" int measured;

int sum;

int main() {
  for (int i = 1; i <= 3; i++)
    sum += measure(i, 10);
  std::printf("sum %d of %d\n", sum, measured);
}
