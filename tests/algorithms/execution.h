// Small executions for the oracles: random or all of a kind, in one total order; and what follows from them by brute
// force.
#pragma once
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/event.h"

namespace ana::oracle {

using algorithms::AccessKind;
using algorithms::ThreadIndex;

struct Access {
  uint32_t granule;
  AccessKind kind;
};

struct Happening {
  ThreadIndex thread;
  uint64_t serial;
  std::vector<Access> accesses;  // each granule at most once
};

// At most 64 events, so that a set of events is a word.
struct Execution {
  uint32_t threads = 0, granules = 0;
  std::vector<Happening> events;

  void add(ThreadIndex thread, std::vector<Access> accesses);
  size_t find(ThreadIndex thread, uint64_t serial) const;  // its place in the total order
  std::string text() const;
};

struct Shape {
  uint32_t threads, granules, events;
  double write = 0.4, update = 0.1, several = 0;  // shares of kinds of accesses, of events with several granules
};

Execution random_execution(std::mt19937_64& random, const Shape& shape);
// Calls `use` with every execution of this size, with reads and writes of one granule, up to renaming of threads.
template <class Use>
void each_execution(uint32_t threads, uint32_t granules, uint32_t events, Use use);

bool conflict(const Happening& a, const Happening& b);
bool share_granule(const Happening& a, const Happening& b);

// before[i]: the events that come before event i.
using Order = std::vector<uint64_t>;

// Program order and the conflicts, closed: what has to be enforced (Netzer's D).
Order dependences(const Execution& execution);
// The inter-thread pairs of its transitive reduction.
std::set<std::pair<size_t, size_t>> frontier_races(const Execution& execution);

// Program order and some edges (source, sink; places in the total order), closed.
Order implied(const Execution& execution, const std::vector<std::pair<size_t, size_t>>& edges);
// The first conflicting pair that `order` leaves open, or "" if there is none.
std::string open_pair(const Execution& execution, const Order& order);

template <class Use>
void each_execution(uint32_t threads, uint32_t granules, uint32_t events, Use use) {
  uint64_t choices = uint64_t{threads} * granules * 2;
  std::vector<uint64_t> choice(events, 0);
  for (;;) {
    Execution execution;
    execution.threads = threads;
    execution.granules = granules;
    uint32_t seen = 0;
    bool canonical = true;
    for (uint64_t c : choice) {
      uint32_t thread = c / (granules * 2);
      canonical &= thread <= seen;
      seen = std::max(seen, thread + 1);
      execution.add(thread, {{static_cast<uint32_t>(c / 2 % granules), c % 2 ? AccessKind::write : AccessKind::read}});
    }
    if (canonical) use(execution);
    size_t at = 0;
    while (at < choice.size() && ++choice[at] == choices) choice[at++] = 0;
    if (at == choice.size()) return;
  }
}

}  // namespace ana::oracle
