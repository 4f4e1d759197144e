// Ends with a status of its own, from a thread, with handlers for the end.
#include <cstdio>
#include <cstdlib>
#include <thread>

int steps;

void at_end() {
  steps++;
  std::puts("at the end");
}

int main() {
  std::atexit(at_end);
  std::thread([] {
    steps++;
    std::exit(3);
  }).join();
}
