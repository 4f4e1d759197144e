// Reference count race: the count is a plain int, so the object is destroyed twice, or while somebody uses it.
//
// Ends with SIGABRT at the second destruction. The fix: an atomic count, or std::shared_ptr.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "hiccup.h"

struct Buffer {
  int references = 1;
  bool destroyed = false;
};

Buffer buffer;

void destroy(Buffer& object) {
  if (object.destroyed) {
    std::fprintf(stderr, "double free of the buffer\n");
    std::abort();
  }
  object.destroyed = true;
}

int one_less(int count) {
  hiccup(15000);
  return count - 1;
}

void acquire(Buffer& object) { object.references++; }
void release(Buffer& object) {
  object.references = one_less(object.references);
  if (object.references == 0) destroy(object);
}

void worker() {
  for (int i = 0; i < 1500; i++) {
    acquire(buffer);
    release(buffer);
  }
}

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; i++) workers.emplace_back(worker);
  for (auto& thread : workers) thread.join();
  release(buffer);
  std::printf("references left: %d\n", buffer.references);
  return buffer.references == 0 ? 0 : 1;
}
