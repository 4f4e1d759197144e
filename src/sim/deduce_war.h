// Write-after-read dependences from a trace of read-after-write and write-after-write ones (Jiang 2015, III-D2): those
// that rwtrace-1 and crew-lock leave out.
//
// Needs the accesses of each thread, as a replay finds them, but not their total order. All writes of a granule are
// ordered by the traced edges and program order, and a read sees the last write that they put before it; so it comes
// before the next one.
#pragma once
#include <vector>

#include "algorithms/event.h"
#include "trace/result.h"

namespace ana::sim {

struct GranuleAccess {
  uint64_t granule;
  bool writes;
};

struct TracedEvent {
  std::vector<GranuleAccess> accesses;
  std::vector<algorithms::Edge> edges;
};

struct Dependence {
  algorithms::ThreadIndex source;
  algorithms::Serial source_serial;
  algorithms::ThreadIndex sink;
  algorithms::Serial sink_serial;
};

// `threads` has the events of each thread from its first on, as far as the trace goes. For each write and each thread
// the last read that it has to wait for. Fails if the edges are cyclic, lead outside the trace, or leave the order of
// writes open.
Result<std::vector<Dependence>> deduce_war(const std::vector<std::vector<TracedEvent>>& threads);

}  // namespace ana::sim
