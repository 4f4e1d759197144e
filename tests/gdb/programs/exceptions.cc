// Exceptions that pass frames, one that is caught deeper, and one that ends in another thread's function.
#include <cstdio>
#include <stdexcept>
#include <thread>

int caught;

void check(int n) {
  if (n % 2 == 1) throw std::runtime_error("odd");
}

int attempt(int n) {
  try {
    check(n);
  } catch (const std::runtime_error&) {
    caught++;
    return -n;
  }
  return n;
}

int main() {
  int sum = 0;
  for (int n = 1; n <= 4; n++)
    sum += attempt(n);
  std::thread([&] { sum += attempt(7); }).join();
  std::printf("sum %d, caught %d\n", sum, caught);
}
