// Tells every access; two threads write the same word without a lock.
// flags: --every-access
#include <cstdio>
#include <thread>

long shared;

void add(long n) {
  for (int i = 0; i < 5; i++)
    shared = shared + n;
}

int main() {
  std::thread one(add, 1), two(add, 10);
  one.join();
  two.join();
  std::printf("shared %s\n", shared > 0 ? "written" : "lost");
}
