// What a thread knew of the others at some event, as the histories of granules keep it.
//
// A thread's clock changes only when it traces an edge. So all its events between two edges share one immutable copy of
// the clock, which is counted by the histories that refer to it: a history needs a pointer where Netzer '93 has a
// vector (writeTs, readTs). No snapshot: nothing known. The thread's own entry is 0: the event that the snapshot is
// kept with says more.
//
// A reference is taken and given back under the lock of the granule that holds it; the counts are shared, and atomic if
// the host says so.
#pragma once
#include "algorithms/event.h"

namespace ana::algorithms {

struct Snapshot {
  uint64_t references;
  Serial at[];
};

template <Host H>
class Snapshots {
 public:
  Snapshots(H& host, unsigned threads) : host_(host), threads_(threads) {}

  size_t bytes() const { return sizeof(Snapshot) + threads_ * sizeof(Serial); }

  Snapshot* make(VectorClock clock, ThreadIndex self) {
    auto* made = static_cast<Snapshot*>(host_.allocate(bytes()));
    made->references = 1;
    for (unsigned i = 0; i < threads_; ++i) made->at[i] = clock.at[i];
    made->at[self] = 0;
    return made;
  }

  void retain(Snapshot* snapshot) {
    if (!snapshot) return;
    if constexpr (H::kShared) {
      __atomic_fetch_add(&snapshot->references, 1, __ATOMIC_RELAXED);
    } else {
      ++snapshot->references;
    }
  }

  void release(Snapshot* snapshot) {
    if (!snapshot) return;
    uint64_t left;
    if constexpr (H::kShared) {
      left = __atomic_sub_fetch(&snapshot->references, 1, __ATOMIC_ACQ_REL);  // pairs with the other releases
    } else {
      left = --snapshot->references;
    }
    if (left == 0) host_.release(snapshot, bytes());
  }

 private:
  H& host_;
  unsigned threads_;
};

}  // namespace ana::algorithms
