// Replay under a debugger: one thread runs at a time. It keeps the turn until it has to wait; who gets it then is decided
// by a rule that looks at nothing but the state of the replay. So the whole execution has one order, the same in every
// replay and from every copy of the process on, and `switches` with a thread's count says where in it the process is.
//
// The rule: the slot that is waited for, if its thread can go on, else whom that one waits for, and so on; else the next
// slot that can; else the next that has only yielded. In a replay somebody always can: threads wait for each other only,
// and the recorded order has no cycle.
//
// The tool may end this at a stop, by clearing `serial` and giving everybody the turn: threads then go on side by side, as
// they do without a debugger. There is no way back but another copy. All functions are called by the thread concerned.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

inline bool debugged() { return __builtin_expect(g_session->debug.enabled, 0); }
inline bool serial() { return __builtin_expect(g_session->debug.serial, 0); }

// Says where things are. Before the first thread runs.
void serial_init();
// Stops for the debugger, with these in the registers rdi and rsi.
void debug_trap(DebugTrap why, uint64_t value = 0);

// Give the turn away until the word has at least this value; or another one; or others have gone on. They may come back
// too early: when `serial` has ended.
void serial_wait(Slot& slot, const uint32_t* word, uint32_t at_least, uint32_t of);
void serial_wait_while(Slot& slot, const uint32_t* word, uint32_t value);
void serial_yield(Slot& slot, uint32_t of = kNoSlot);
// The thread is new: waits for its first turn. Its creator waits until it does.
void serial_born(Slot& slot);
void serial_await_birth(const Slot& child);
// The thread does not run any more; or it is about to end.
void serial_park(Slot& slot);
void serial_leave(Slot& slot);

}  // namespace ana
