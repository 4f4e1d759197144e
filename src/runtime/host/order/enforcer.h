// Replay: every thread runs freely until its next scheduled act, then waits for its turn.
//
// `limit` is set to the count of that act, so polls cost what they cost in record. From that count on the epoch is
// raised, so that every check comes here until the site matches too; otherwise every check passes. An edge is waited for
// at exactly its (count, site); a publication is let through at the first point with a larger count, or just before the
// thread's next wait or end: late is harmless, early is not.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

// Sets the slot up from the schedule; before its first thread runs.
void enforcer_init(Slot& slot);

// The thread is at `site` with its present count. Returns when every edge due here has been waited for. Ends the process
// on divergence, parks at the end of the stream. A poll is no event of an algorithm.
void enforce(Slot& slot, uint64_t site, bool at_poll = false);

// The thread is about to block or end for real: let everything through that is due.
void enforce_before_leaving(Slot& slot);

// The stream is at its end, the thread was still alive there: it waits for the end of the program. The last thread that
// comes here ends the program as it ended when recorded.
[[noreturn]] void enforce_end(Slot& slot);

// The replay of a forked child has come to the fork: returns when the threads that the child does not have are gone.
void enforce_fork(Slot& slot);

// If all threads are at their ends, ends the program as it ended when recorded. For one that has just ceased to be alive.
void enforce_program_end();

// The thread waits for another one without an event of its own: lets everything through that is due, and waits a moment. At
// the end of its stream it parks.
void enforce_wait(Slot& slot);

// All threads but the calling one have left or are at their ends.
bool others_have_ended();

// Nothing is left in the thread's stream, and it has come as far as the recorded thread was seen to come.
bool is_at_end(const Slot& slot);
// Nothing is left, and the recorded thread crashed at this count.
bool crashed_here(const Slot& slot);

// The thread that ends the program waits here until all others are at their ends.
void enforce_others_end(Slot& slot);

}  // namespace ana
