// record --chaos: a perturbed schedule, so that rare orders happen. Threads are delayed at polls and at the
// beginnings and ends of operations; after some of these delays a thread also gives up what it owns at each of its
// next checks, so that others get in between any two of its accesses. Some slots are lazier than others, which
// makes priorities; and half of them are not delayed at polls, so that threads which begin together also meet.
//
// When is drawn from the session's seed, from the slot and from the thread's count. Delays at polls become rarer as
// the count grows, down to a limit, so that long runs stay fast enough; so do those at the ends of operations on
// objects and of system calls, which are more likely, since few of the points of a program are such. Nothing of
// this is recorded, nor does a replay know of it.
//
// A delay is due when the count reaches Slot.quiet_limit, which is what `limit` is when nobody asks for anything.
// All functions are called by the slot's thread, recording with ownership, but chaos_start() by who creates it.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

// A thread has been put into the slot.
void chaos_start(Slot& slot);

// In an operation that others may notice: perhaps its end is delayed.
void plan_for_operation(Slot& slot);
inline void chaos_operation(Slot& slot) {
  if (__builtin_expect(slot.chaos != 0, 0)) plan_for_operation(slot);
}

enum class ChaosPoint { kBegin, kEnd, kPoll };
// At a count that has reached the limit. At kEnd and kPoll others may get what the thread owned: true if they may have.
bool chaos_delay(Slot& slot, ChaosPoint point);
// Before the lines of a check are taken.
void let_others_in(Slot& slot);
inline void chaos_check(Slot& slot) {
  if (__builtin_expect(slot.chaos_burst != 0, 0)) let_others_in(slot);
}

}  // namespace ana
