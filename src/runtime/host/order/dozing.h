// What a thread does that waits for a word of memory and calls sched_yield() meanwhile: it has used up a core, of which the
// one that it waits for may be in need, and replay would do all of it again. If it finds nothing for as long as falling asleep takes,
// it sleeps, and has given all that it has: whoever comes after that, and so may have changed the word, wakes it. It waits
// for something else than memory, perhaps; so it looks again when it has slept for as long as it had waited, a millisecond at most.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

// In sched_yield(). False if the thread should not sleep yet.
bool doze(Slot& slot);

// By a thread that has taken its order from `slot`, which may doze.
void rouse(Slot& slot);

}  // namespace ana
