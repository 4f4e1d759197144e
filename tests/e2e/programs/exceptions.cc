// Exceptions thrown and caught through several frames with destructors, chosen by racing values; exception_ptr across
// threads.
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.h"

volatile int mood;
std::mutex lock;
std::vector<std::exception_ptr> collected;

struct Guard {
  uint64_t& count;
  ~Guard() { count++; }
};

static void deep(int depth, uint64_t& unwound) {
  Guard guard{unwound};
  mood = mood + 1;
  if (mood % 11 == 0) throw std::runtime_error("mood " + std::to_string(mood));
  if (mood % 13 == 0) throw depth;
  if (depth > 0) deep(depth - 1, unwound);
}

static uint64_t body(int index) {
  uint64_t hash = static_cast<uint64_t>(index), unwound = 0;
  for (int i = 0, n = share_of(1000); i < n; i++) {
    try {
      deep(8, unwound);
    } catch (const std::exception& error) {
      hash = mix(hash, std::string(error.what()).size() + unwound);
      std::lock_guard guard(lock);
      if (collected.size() < 10) collected.push_back(std::current_exception());
    } catch (int depth) {
      hash = mix(hash, static_cast<uint64_t>(depth));
    }
    yield_every(i, 16);
  }
  return mix(hash, unwound);
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (auto& pointer : collected) {
    try {
      std::rethrow_exception(pointer);
    } catch (const std::exception& error) {
      std::printf("%s\n", error.what());
    }
  }
  print_results();
}
