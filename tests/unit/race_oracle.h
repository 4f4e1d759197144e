// Small executions of threads that synchronise in every way, and their data races by brute force: all pairs of events that
// happen before each other, from the definitions, closed transitively.
#pragma once
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "trace/live_reference.h"

namespace ana::oracle {

struct Happening {
  uint32_t slot;
  LiveReference event;
  uint32_t passage = 0;  // of a barrier: which use of it
};

struct RacingExecution {
  std::vector<Happening> events;
  std::string text() const;
};

// Locks are taken only if they are free, and so on: what a program could do.
RacingExecution random_racing_execution(std::mt19937_64& random);

// Pairs of events (places in the execution) that race.
std::set<std::pair<size_t, size_t>> races_of(const RacingExecution& execution);
// Bytes that the accesses of these pairs have in common.
std::set<uint64_t> racy_bytes_of(const RacingExecution& execution, const std::set<std::pair<size_t, size_t>>& races);

}  // namespace ana::oracle
