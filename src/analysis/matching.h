// A largest set of edges no two of which share a vertex: Netzer and Miller's lower bound of what must be traced, since
// each of these races needs a message of its own.
#pragma once
#include "analysis/bit_graph.h"

namespace ana {

struct Matching {
  size_t edges = 0;
  bool maximum = true;  // false: the work was too much; there may be a larger one
};

// Edmonds' algorithm. `work` bounds the words of rows that are looked at.
Matching find_matching(const BitGraph& graph, uint64_t work);

}  // namespace ana
