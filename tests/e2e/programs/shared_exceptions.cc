// One exception in the hands of several threads, by exception_ptr, rethrown, and copied with its text: whoever lets go of it
// last destroys it, and that is another thread each time.
#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>

#include "support.h"

static thread_local int self = -1;
static std::atomic<uint64_t> ends;

struct Tracked : std::runtime_error {
  explicit Tracked(int number) : std::runtime_error("number " + std::to_string(number)), number(number) {}
  Tracked(const Tracked&) = default;
  ~Tracked() override { ends = mix(ends, static_cast<uint64_t>(self * 1000 + number)); }
  int number;
};

constexpr int kRounds = 150;
static std::exception_ptr held[kMaxThreads][kRounds];
static std::atomic<int> holders[kRounds];

static uint64_t use(std::exception_ptr mine, int round) {
  uint64_t hash = 0;
  try {
    if ((round + self) % 2) std::rethrow_exception(mine);
  } catch (Tracked& error) {
    Tracked copy(error);
    hash = static_cast<uint64_t>(copy.number) + strlen(copy.what());
  }
  // The last two let go at about the same time.
  holders[round]--;
  for (int spins = 0; holders[round] > 0 && spins < 2000; spins++) sched_yield();
  mine = nullptr;
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  self = index;
  for (int round = 0; round < kRounds; round++) {
    hash = mix(hash, use(std::move(held[index][round]), round));
    hash = mix(hash, ends);
  }
  return hash;
}

static std::exception_ptr made(int number) {
  try {
    throw Tracked(number);
  } catch (...) {
    return std::current_exception();
  }
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  for (int round = 0; round < kRounds; round++) {
    std::exception_ptr first = made(round);
    for (int i = 0; i < threads; i++) held[i][round] = first;
    holders[round] = threads;
  }
  run_threads(body);
  print_results();
  std::printf("%016" PRIx64 "\n", ends.load());
}
