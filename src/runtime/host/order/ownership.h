// The default recorder: ownership of lines, with epochs and leases.
//
// A thread may use a line while its permission reaches its epoch (runtime_abi.h); the check is its alone. What follows
// is how permissions are given and taken.
//
// Each line has a word in a shared table: who wrote it last, who has read it since (one reader by name, or "many").
// The 64 lines of a page share a lock and, while their users are the same, a word (page.h, whole_page.h); what
// follows is about lines that have their own. To take a line, a thread takes the lock and looks whether another
// thread still holds a permission that conflicts. If so, it unlocks, asks the holder, and waits until the holder has
// ended its epoch or given the line; while it waits it gives its own lines to those who ask. If not, nobody can have used the
// line since the holder published that: the thread logs an edge from this publication unless its vector clock
// covers it already (Netzer '93: only frontier races), and grants itself the line.
//
// Invariants
//  1. For a line at most one thread has a live permission to write, and then no other has one to read.
//     (live: until[] >= the thread's epoch)
//  2. A thread ends an epoch by publishing its clock first and raising `epoch` last, and gives a line by publishing a moment
//     of its epoch first and lowering the permission to it last; on x86-TSO that makes all its earlier accesses visible.
//     Whoever sees a permission dead can read a publication at least as late as it.
//  3. A permission is raised only by its own thread, under the line's lock. It is lowered by its own thread, or under the
//     owner's `lock` while the owner is blocked.
//  4. Every conflicting pair of accesses is ordered by the logged edges, program order and their closure.
//  5. A thread never waits without serving those who wait for it, except the one holder of the token; and it has ended
//     its epoch before it blocks.
//
// All functions are called by the slot's own thread.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

void ownership_init(Slot& slot);

// Makes all ranges valid at once; they stay so until the thread's next yield. Logs edges at (count, site).
void acquire_set(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site);

// Gives what somebody has asked for, and perhaps more (tenure.h). True if any line is lost. `keeps`: what the thread has just
// got it may keep for a moment.
bool yield_if_asked(Slot& slot, bool keeps = false);
// Publishes what the thread has done; nothing is lost.
void let_others_follow(Slot& slot);
// Ends the epoch, keeps leases.
void end_epoch(Slot& slot);
// Ends the epoch and every lease.
void give_up_all(Slot& slot);

// Around anything that may block. In between others act on this thread's leases. Who comes out while another thread forks
// waits until it has (freeze_others()).
void block_enter(Slot& slot, SlotState as = SlotState::kBlocked);
void block_exit(Slot& slot);

extern uint32_t g_freezing;  // slot + 1 of the thread that forks; futex
inline bool is_frozen(const Slot& slot) {
  uint32_t by = __atomic_load_n(&g_freezing, __ATOMIC_SEQ_CST);
  return __builtin_expect(by && by != slot.id + 1, 0);
}

// In the child of a fork, which has only this thread: nothing is anybody else's.
void ownership_forked(Slot& slot);

// Logs that the thread comes after everything that `source` has published, and joins its clock.
void take_order_from(Slot& slot, Slot& source, uint64_t site);

// Waits until `source` has published its moment, serving others meanwhile.
void wait_for_moment(Slot& slot, Slot& source, LongEpoch moment);

}  // namespace ana
