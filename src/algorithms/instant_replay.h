// Tracing every reference (Instant Replay, LeBlanc and Mellor-Crummey 1987): a granule has a version, raised by each
// write, and counts the reads of its version. A read is traced with the version that it saw; a write with the version
// that it replaced and how many reads that had. Replay waits for exactly these.
#pragma once
#include "algorithms/event.h"

namespace ana::algorithms {

struct Version {
  uint64_t version, readers;  // readers is 0 for a read
};

class InstantReplay {
 public:
  struct Thread {
    ThreadIndex index;
    Serial serial;
  };
  struct Granule {
    uint64_t version, readers;
  };
  static constexpr size_t granule_bytes(unsigned /*threads*/) { return sizeof(Granule); }

  void start(Thread& thread, ThreadIndex index) { thread = {index, 0}; }
  void begin(Thread& thread) { ++thread.serial; }

  static Version access(Thread&, Granule& granule, AccessKind kind) {
    Version seen = {granule.version, writes(kind) ? granule.readers : 0};
    if (writes(kind)) {
      granule = {granule.version + 1, 0};
    } else {
      ++granule.readers;
    }
    return seen;
  }

  void copy(Granule& to, const Granule& from) { to = from; }
  void forget(Granule& granule) { granule = {}; }
};

}  // namespace ana::algorithms
