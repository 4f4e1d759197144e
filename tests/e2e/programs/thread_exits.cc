// Destructors of thread_local objects, of keys and of statics: in which order, and with what they find.
#include <atomic>
#include <string>

#include "support.h"

static std::atomic<int> ended{0};
static int unordered;
static pthread_key_t key;

struct Local {
  std::string name = "local";
  int number = 0;
  ~Local() {
    unordered += number;
    ended++;
  }
};
static thread_local Local first, second;

struct Last {
  ~Last() { std::printf("last %d %d\n", ended.load(), unordered); }
};
static Last last;

static void of_key(void* value) {
  unordered = unordered * 2 + static_cast<int>(reinterpret_cast<intptr_t>(value));
  if (unordered % 3 == 0) pthread_setspecific(key, reinterpret_cast<void*>(1));  // once more
}

static uint64_t body(int index) {
  first.number = index;
  second.number = unordered;
  second.name += std::to_string(unordered);
  pthread_setspecific(key, reinterpret_cast<void*>(static_cast<intptr_t>(index + 1)));
  for (int i = 0; i < 50; i++) {
    unordered++;
    yield_every(i, 10);
  }
  return mix(first.name.size(), second.name.size() + static_cast<uint64_t>(unordered));
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  pthread_key_create(&key, of_key);
  for (int round = 0; round < 6; round++) run_threads(body);
  print_results();
  std::atexit([] { std::puts("at exit"); });
  std::printf("%d %d\n", ended.load(), unordered);
}
