// thread_local objects with constructors and destructors, and one whose address another thread writes to.
#include <atomic>
#include <mutex>
#include <string>

#include "support.h"

std::atomic<int> created, destroyed;
std::mutex lock;

struct Tracker {
  int number = created.fetch_add(1);
  int uses = 0;
  std::string name = "tracker " + std::to_string(number);
  ~Tracker() {
    std::lock_guard guard(lock);
    std::printf("%s, %d uses, ends as %d\n", name.c_str(), uses, destroyed.fetch_add(1));
  }
};

thread_local Tracker tracker;
thread_local int plain_local = 5;
int* leaked_address[kMaxThreads];
pthread_barrier_t all_here;

static int touch() { return ++tracker.uses + tracker.number; }

static uint64_t body(int index) {
  uint64_t hash = 0;
  leaked_address[index] = &plain_local;
  pthread_barrier_wait(&all_here);
  int& other = *leaked_address[(index + 1) % threads];
  for (int i = 0, n = share_of(8000); i < n; i++) {
    hash = mix(hash, static_cast<uint64_t>(touch()));
    plain_local += i;
    other ^= plain_local;
    yield_every(i, 128);
  }
  pthread_barrier_wait(&all_here);
  return mix(hash, static_cast<uint64_t>(plain_local));
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  pthread_barrier_init(&all_here, nullptr, static_cast<unsigned>(threads));
  run_threads(body);
  std::printf("created %d\n", created.load());
  print_results();
}
