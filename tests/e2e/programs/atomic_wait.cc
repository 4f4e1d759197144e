// std::atomic wait and notify: a token goes round in an order that the threads fight for.
#include <atomic>

#include "support.h"

std::atomic<int> token{0};
std::atomic<unsigned> phase{0};
std::atomic_flag door;
uint64_t chain;

static uint64_t body(int index) {
  uint64_t hash = 0;
  door.wait(false);
  for (int i = 0, n = share_of(1500); i < n; i++) {
    for (int expected = 0; !token.compare_exchange_strong(expected, 1); expected = 0) token.wait(1);
    chain = mix(chain, static_cast<uint64_t>(index));
    hash ^= chain;
    if (i % 4 == 0) sched_yield();
    token.store(0);
    token.notify_one();
  }
  unsigned mine = phase.fetch_add(1) + 1;
  phase.notify_all();
  for (unsigned seen = phase.load(); seen < static_cast<unsigned>(threads); seen = phase.load()) phase.wait(seen);
  return mix(hash, mine);
}

static void* open_door(void*) {
  door.test_and_set();
  door.notify_all();
  return nullptr;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  pthread_t opener;
  pthread_create(&opener, nullptr, open_door, nullptr);
  run_threads(body);
  pthread_join(opener, nullptr);
  std::printf("chain %016" PRIx64 "\n", chain);
  print_results();
}
