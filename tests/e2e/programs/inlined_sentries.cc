// Output functions of code that anaphora-c++ has not compiled: the sentry is made by the library, but its destructor was
// inlined, so nobody hears of the end. Here it is left out, which looks the same from outside.
#include <iostream>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "support.h"

static std::mutex mutex;
static int racy;

[[gnu::noinline]] static void put(std::ostream& out, const char* text) {
  alignas(std::ostream::sentry) char room[sizeof(std::ostream::sentry)];
  auto* sentry = new (room) std::ostream::sentry(out);
  if (*sentry) out.rdbuf()->sputn(text, static_cast<std::streamsize>(strlen(text)));
}

// The first thing after an output that the runtime hears of is that somebody initialises a variable.
template <int kNumber>
static int first() {
  static int value = racy % 100 + kNumber;
  return value;
}

static void work(int index) {
  for (int i = 0, n = share_of(200); i < n; i++) {
    char text[64];
    snprintf(text, sizeof text, "thread %d step %d saw %d\n", index, i, racy++);
    put(std::cout, text);
    if (i % 3 == 0) std::cout << "and " << index << '\n';
    if (i % 5 == 0) put(std::cerr, text);
    if (i % 7 == 0) {
      std::lock_guard<std::mutex> guard(mutex);
      racy += index;
    }
  }
  put(std::cout, "last\n");
  racy += first<1>();
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; i++) pool.emplace_back(work, i);
  for (auto& thread : pool) thread.join();
  put(std::cout, "joined\n");
  racy += first<2>();
  std::cout << "end " << racy << std::endl;
}
