// Slice counters (Stradal 6.2), for replaying traces of Lamport algorithms: an event waits until every other thread's
// present event has at least its Lamport time. Times go on by one at each count, and jump where the schedule says.
// The event of a thread that is being created is its first.
//
// Each thread keeps what it last saw of every other: times only grow, so it looks again only at those that were behind.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

inline bool slices_at_every_event() { return g_session->slices == static_cast<uint32_t>(Slices::kEveryEvent); }

// The calling thread has counted: wakes those who have waited for its time.
void tell_slice(Slot& slot);
// The calling thread is at an event, at `site` with its present count.
void wait_for_slices(Slot& slot, uint64_t site);

}  // namespace ana
