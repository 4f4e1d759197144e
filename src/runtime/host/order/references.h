// Replay with --trace-all: every event of the program is told to the tool, which puts the events of all threads into one
// order (trace/reference_merge.h). Events are those that a recording by an algorithm has (tracing.h): accesses of code
// compiled with --every-access, those of library code, operations on objects.
//
// By the thread concerned, after the event's edges have been waited for and before its access. There the event gets a
// stamp, a number that grows over all threads. Let *a* come before *b* in the recording, in another thread and in conflict
// with it: then the edges lead from a publication after *a* to *b*. The publication is let through after *a*, so after
// *a*'s stamp was taken, and *b*'s is taken after having waited for it. So stamps order all pairs in conflict, and those
// of a thread, as they were recorded: any execution in the order of stamps is the recorded one.
#pragma once
#include "runtime/host/order/tracing.h"
#include "runtime/host/slot.h"

namespace ana {

inline bool tells_references() { return __builtin_expect(g_session->references, 0); }

void tell_references(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site);

// Numbers as in tracing.h. Nothing in a recording, or without --trace-all.
void tell_object(Slot& slot, uint64_t object);

}  // namespace ana
