// How few messages of a rank could have been traced: its race graph, from the facts that `record --race-graph` wrote
// (trace/race_facts.h). Vertices are the messages that the rank received; two race, so have an edge, if the receive
// that was posted first, of any source, would have accepted the other's message, the two senders differ, and the
// other's sender did not know that it was complete. Nothing in a trace is trusted.
#pragma once
#include <stdint.h>

#include <span>
#include <vector>

#include "analysis/bit_graph.h"
#include "trace/race_facts.h"
#include "trace/result.h"

namespace ana {

struct RaceVertex {
  RaceFact fact;
  uint64_t serial = 0;  // of a receive of any source: the how many'th to complete, from 1; else 0
  uint64_t known = 0;   // of these, how many the sender knew
};

// By the order of posting.
Result<std::vector<RaceVertex>> read_race_facts(std::span<const uint8_t> bytes);

bool race(const RaceVertex& earlier, const RaceVertex& later);
BitGraph race_graph(std::span<const RaceVertex> vertices);

struct Optimum {
  uint64_t messages = 0, any_source = 0;
  uint64_t racing = 0;    // messages that race with another
  uint64_t races = 0;     // pairs
  uint64_t matching = 0;  // Netzer and Miller's lower bound
  bool largest = true;    // false: there may be a larger matching
  uint64_t minimum = 0;   // that any trace must have
  bool exact = true;      // false: `minimum` is only a better lower bound
};

// Runs of messages beyond `most` in a row that cannot be taken apart are cut, and the result is not exact.
Optimum find_optimum(std::span<const RaceVertex> vertices, size_t most = 16384);

}  // namespace ana
