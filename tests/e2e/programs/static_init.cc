// Static locals, std::call_once (with an attempt that throws) and inline variables: who initialises what.
#include <mutex>
#include <stdexcept>

#include "support.h"

struct Registry {
  int owner;
  explicit Registry(int index) : owner(index) { sched_yield(); }
};

template <int kWhich>
static Registry& registry(int index) {
  static Registry instance(index * 10 + kWhich);
  return instance;
}

std::once_flag once, stubborn;
int attempts, once_owner = -1, stubborn_owner = -1;

static uint64_t body(int index) {
  uint64_t hash = 0;
  hash = mix(hash, static_cast<uint64_t>(registry<0>(index).owner));
  hash = mix(hash, static_cast<uint64_t>(registry<1>(index).owner));
  std::call_once(once, [&] { once_owner = index; });
  hash = mix(hash, static_cast<uint64_t>(registry<2>(index).owner));
  try {
    std::call_once(stubborn, [&] {
      sched_yield();
      if (++attempts < 3) throw std::runtime_error("not yet");
      stubborn_owner = index;
    });
  } catch (const std::runtime_error&) {
    hash = mix(hash, 404);
  }
  hash = mix(hash, static_cast<uint64_t>(registry<3>(index).owner));
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  std::printf("once %d stubborn %d after %d; %d %d %d %d\n", once_owner, stubborn_owner, attempts,
              registry<0>(-1).owner, registry<1>(-1).owner, registry<2>(-1).owner, registry<3>(-1).owner);
  print_results();
}
