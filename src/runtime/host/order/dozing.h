// Threads that call sched_yield() until a word of memory changes would use up a processor, of which the one that they wait for
// may be in need, and replay would do all of it again. A thread that has found nothing for as long as falling asleep takes,
// and that writes nothing between two calls when it is watched (Idling), gives all that it has and sleeps; whoever comes after
// that, and so may have changed the word, wakes it. Perhaps it waits for something else than memory: so it looks again when it
// has slept for as long as it had waited, a millisecond at most.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

// In sched_yield(). False if the thread should not sleep yet.
bool doze(Slot& slot);

// By a thread that has taken its order from `slot`, which may doze.
void rouse(Slot& slot);

}  // namespace ana
