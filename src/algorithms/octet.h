// Octet's states of objects (Bond et al. 2013), as Jiang 2015 counts their transitions: which share of the accesses
// would have been free, which an atomic operation or a fence, which a round trip to another thread.
//
//   WrEx T    T may read and write          RdEx T    T may read
//   RdSh c    all may read that have passed fence c
//
// A granule belongs to whoever holds its lock; the counter is shared.
#pragma once
#include "algorithms/event.h"

namespace ana::algorithms {

enum class Transition : uint8_t { same, alloc, upgrade, fence, conflict };
constexpr unsigned kTransitions = 5;

class Octet {
 public:
  struct Thread {
    ThreadIndex index;
    Serial serial;
    uint64_t fences;  // the last RdSh count that it has passed
  };
  struct Granule {
    uint64_t bits;  // 0: not allocated; state in bits 0-1, then a thread or a count
  };
  static constexpr size_t granule_bytes(unsigned /*threads*/) { return sizeof(Granule); }

  void start(Thread& thread, ThreadIndex index) { thread = {index, 0, 0}; }
  void begin(Thread& thread) { ++thread.serial; }

  Transition access(Thread& thread, Granule& granule, AccessKind kind) {
    State state = static_cast<State>(granule.bits & 3);
    uint64_t who = granule.bits >> 2;
    bool mine = state != State::read_shared && who == thread.index;
    if (state == State::none) return become(granule, State::write_exclusive, thread.index, Transition::alloc);
    if (writes(kind)) {
      if (mine && state == State::write_exclusive) return Transition::same;
      return become(granule, State::write_exclusive, thread.index, mine ? Transition::upgrade : Transition::conflict);
    }
    if (mine) return Transition::same;
    if (state == State::write_exclusive)
      return become(granule, State::read_exclusive, thread.index, Transition::conflict);
    if (state == State::read_exclusive) {
      thread.fences = __atomic_add_fetch(&shared_, 1, __ATOMIC_RELAXED);
      return become(granule, State::read_shared, thread.fences, Transition::upgrade);
    }
    if (thread.fences >= who) return Transition::same;
    thread.fences = who;
    return Transition::fence;
  }

  void copy(Granule& to, const Granule& from) { to = from; }
  void forget(Granule& granule) { granule = {}; }

 private:
  enum class State : uint64_t { none, write_exclusive, read_exclusive, read_shared };
  static Transition become(Granule& granule, State state, uint64_t who, Transition how) {
    granule.bits = static_cast<uint64_t>(state) | who << 2;
    return how;
  }

  uint64_t shared_ = 0;  // gRdShCnt
};

}  // namespace ana::algorithms
