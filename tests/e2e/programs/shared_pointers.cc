// shared_ptr and weak_ptr copied and dropped everywhere; atomic<shared_ptr>; who destroys an object is the schedule's
// choice.
#include <atomic>
#include <memory>
#include <mutex>

#include "support.h"

std::atomic<int> destroyed_by[kMaxThreads];
thread_local int me;

struct Object {
  int value;
  explicit Object(int v) : value(v) {}
  ~Object() { destroyed_by[me]++; }
};

std::mutex lock;
std::shared_ptr<Object> shared;
std::weak_ptr<Object> observer;
std::atomic<std::shared_ptr<Object>> published;

static uint64_t body(int index) {
  me = index;
  uint64_t hash = 0;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    std::shared_ptr<Object> mine;
    {
      std::lock_guard guard(lock);
      if ((i + index) % 4 == 0) {
        shared = std::make_shared<Object>(index * 10000 + i);
        observer = shared;
      }
      mine = shared;
      hash = mix(hash, observer.expired());
    }
    if (mine) hash = mix(hash, static_cast<uint64_t>(mine->value + mine.use_count()));
    if (i % 8 == 0) published.store(mine);
    if (auto seen = published.load()) hash = mix(hash, static_cast<uint64_t>(seen->value));
    yield_every(i, 64);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < threads; i++) std::printf("%d ", destroyed_by[i].load());
  std::printf("use count %ld\n", shared.use_count());
  print_results();
}
