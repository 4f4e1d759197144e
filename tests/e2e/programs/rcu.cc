// Read-copy-update with a grace period counted per reader; the old version is freed when nobody can see it any more.
#include <atomic>

#include "support.h"

struct Config {
  int version, values[8];
};

std::atomic<Config*> current;
pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
struct alignas(64) Reader {
  std::atomic<unsigned> entered;  // odd while the thread reads
} readers[kMaxThreads];

static void wait_for_readers() {
  for (int t = 0; t < threads; t++) {
    unsigned seen = readers[t].entered.load();
    while ((seen & 1) && readers[t].entered.load() == seen) sched_yield();
  }
}

static void update(int index, int step) {
  pthread_mutex_lock(&writers);
  Config* old = current.load();
  Config* next = new Config(*old);
  next->version++;
  next->values[step & 7] += index;
  current.store(next);
  wait_for_readers();
  delete old;
  pthread_mutex_unlock(&writers);
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(6000); i < n; i++) {
    if ((i + index * 5) % 20 == 0) {
      update(index, i);
    } else {
      readers[index].entered.fetch_add(1);
      const Config* seen = current.load();
      hash = mix(hash, static_cast<uint64_t>(seen->version * 100 + seen->values[i & 7]));
      readers[index].entered.fetch_add(1);
    }
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  current = new Config{};
  run_threads(body);
  std::printf("version %d at %p\n", current.load()->version, static_cast<void*>(current.load()));
  print_results();
  delete current.load();
}
