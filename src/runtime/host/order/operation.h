// The points at which a thread meets the order: checks and polls of instrumented code, begin and end of operations.
// Each counts; in record it may yield and log edges, in replay it waits for the edges due at exactly this count and site.
#pragma once
#include "runtime/host/slot.h"
#include "trace/cold_call.h"

namespace ana {

// The count has reached the limit: somebody asks, or something is scheduled here.
void operation_due(Slot& slot, bool at_end);

inline bool reaches_limit(Slot& slot) {
  return __builtin_expect(++slot.shared->count >= __atomic_load_n(&slot.shared->limit, __ATOMIC_RELAXED), 0);
}
inline void operation_begin(Slot& slot) {
  if (reaches_limit(slot)) operation_due(slot, false);
}
// Inside an operation, between two things that must not be seen as one.
inline void operation_phase(Slot& slot) { operation_begin(slot); }
inline void operation_end(Slot& slot) {
  if (reaches_limit(slot)) operation_due(slot, true);
}

void on_check(const ColdCall& call);
void on_poll(const ColdCall& call);
void on_library_poll(const AnaSite* site);  // between accesses of the runtime's own
// Around every access of code compiled with --every-access.
void on_begin(uint32_t ranges, const AnaSite* site);
void on_end(uint32_t ranges, const AnaSite* site);
void on_acquire(const AnaRange* ranges, uint32_t count, const AnaSite* site);

// Ranges used by the runtime inside an operation, for the program.
void operation_acquire(Slot& slot, const AnaRange* ranges, uint32_t count);
inline AnaRange read_range(const void* at, uint64_t size) {
  return ana_range(reinterpret_cast<uint64_t>(at), reinterpret_cast<uint64_t>(at) + size - 1, false);
}
inline AnaRange write_range(void* at, uint64_t size) {
  return ana_range(reinterpret_cast<uint64_t>(at), reinterpret_cast<uint64_t>(at) + size - 1, true);
}

// Ranges that library code goes on using after operations of its own (it writes to a file and then to the stream's width):
// the end of every operation takes them again, if they were lost.
void pin(const AnaRange& range);
void unpin();
void take_pins_again(Slot& slot);
inline void take_pins(Slot& slot) {
  if (__builtin_expect(slot.pins, 0)) take_pins_again(slot);
}

// Record: stop every other thread at its next poll or operation, for good; wait a moment until they have. If another
// thread does so already, the caller is one of those that stop, and does not return.
void stop_others(Slot& slot);

// Record, around a fork: every other thread stays where it is, blocked or at its next poll or end of an operation, with no
// lock of the host's held, until the caller thaws them. False: some do not come to one soon. The caller is blocked meanwhile.
bool freeze_others(Slot& slot);
void thaw_others(Slot& slot);
// In the child of a fork: those who wanted others to stop are not there.
void forget_stops();

}  // namespace ana
