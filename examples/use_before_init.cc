// Order violation: the worker uses what main sets up after it has started the worker.
//
// Crashes on a null pointer if the worker is faster. The fix: set up first, then start.
#include <cstdio>
#include <string>
#include <thread>

#include "hiccup.h"

std::string* greeting;

void worker() {
  std::this_thread::sleep_for(std::chrono::microseconds(300));  // prepares its own things
  std::printf("%zu characters\n", greeting->size());
}

int main() {
  std::thread thread(worker);
  hiccup(8, 900);
  greeting = new std::string("hello from main");
  thread.join();
  delete greeting;
}
