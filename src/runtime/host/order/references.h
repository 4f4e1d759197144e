// Replay with --trace-all: every event of the program is told to the tool, which puts the events of all threads into one
// order (trace/reference_merge.h). Events are those that a recording by an algorithm has (tracing.h): accesses of code
// compiled with --every-access, those of library code, operations on objects. If synchronisation is asked for, operations
// are told as what they are, and those that order a replay but mean nothing to the program are left out.
//
// By the thread concerned, after the event's edges have been waited for and before its access. There the event gets a
// stamp, a number that grows over all threads. Let *a* come before *b* in the recording, in another thread and in conflict
// with it: then the edges lead from a publication after *a* to *b*. The publication is let through after *a*, so after
// *a*'s stamp was taken, and *b*'s is taken after having waited for it. So stamps order all pairs in conflict, and those
// of a thread, as they were recorded: any execution in the order of stamps is the recorded one.
#pragma once
#include "runtime/host/order/tracing.h"
#include "runtime/host/slot.h"
#include "trace/live_reference.h"

namespace ana {

inline Telling telling() { return static_cast<Telling>(__builtin_expect(g_session->references, 0)); }
inline bool tells_references() { return telling() != Telling::kNothing; }
inline bool tells_synchronisation() { return telling() >= Telling::kSynchronisation; }
inline bool tells_claims() { return telling() == Telling::kClaims; }

void tell_references(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site);
// The atomic access or fence that a check is of, which comes next. If synchronisation is told.
void tell_atomic(Slot& slot, const AnaRange& range, uint64_t site);
// Of an access that is looked at (trace/looks.h).
void put_look(Slot& slot, Told what, uint64_t address, uint64_t site, uint64_t value, bool has_value);
// What followed code has noted (translated.h).
void put_run(Slot& slot, const CompactReference* run, uint64_t count);
// One access, with ANA_SITE_ flags of its own.
void tell_access(Slot& slot, const AnaRange& range, uint64_t site, uint32_t flags);

// An operation on a numbered object (tracing.h), which is at `address` if it is one of the program's; kAccess: one that means
// nothing to it. Nothing in a recording, or unless references alone are told.
void tell_object(Slot& slot, uint64_t object, Told operation, uint64_t address = 0);
// The same event for those who want to know what it is. Nothing unless synchronisation is told, never in a recording.
void put_told(Slot& slot, Told what, uint64_t address, uint64_t value, uint64_t site, uint32_t flags);
inline void tell(Slot& slot, Told what, uint64_t address, uint64_t value = 0, uint64_t site = kSiteOperation,
                 uint32_t flags = 0) {
  if (tells_synchronisation()) put_told(slot, what, address, value, site, flags);
}
// As the linked part calls it.
void tell_from_program(Told what, const void* at, uint64_t bytes, const void* site);

inline uint32_t flags_of(uint64_t site) {
  return site <= kSiteOperation ? 0 : reinterpret_cast<const AnaSite*>(site)->column & ANA_SITE_FLAGS;
}

inline bool is_fence(uint32_t flags) {
  return (flags & (ANA_SITE_READ | ANA_SITE_WRITE | ANA_SITE_ATOMIC)) == ANA_SITE_ATOMIC;
}

// A fault of looking at a value that is not there: goes on behind it.
bool is_failed_look(void* context);

}  // namespace ana
