// A smallest set of vertices that has an end of every edge: of a race graph, the fewest messages that can be traced.
//
// The search goes through the vertices of a component in their order and keeps, for each set of later vertices that the
// choices so far rule out, the most vertices that could be left out of the cover. Messages race with those that were
// under way at about the same time, so in the order in which they were received few such sets differ, where branching
// would have to try the parts of a long component in all combinations. Vertices with the same neighbours are one
// vertex, with a weight: whole channels become one where all of their messages race with all of another's.
#pragma once
#include "analysis/bit_graph.h"

namespace ana {

struct Cover {
  size_t at_least = 0;
  bool exact = true;  // false: the work was too much; the smallest cover may be larger
};

// `work` bounds the words that each search of a component, or of a part of it, may look at.
Cover find_cover(const BitGraph& graph, uint64_t work);

}  // namespace ana
