// What a debugger's side of the tool and the host of a debugged replay share: part of SessionHeader. The host of such a
// session maps the session privately, so that every copy of the process (a checkpoint) has its own; the tool reads and
// writes it in the stopped process, at its address there.
//
// Freestanding: used inside the replayed program.
#pragma once
#include <stdint.h>

namespace ana {

// What a thread stops for at DebugControl.trap, in its register rdi.
enum class DebugTrap : uint64_t {
  kStart = 1,    // all is set up; the program's first instruction is at rsi
  kCount = 2,    // the thread of stop_slot has come to stop_count
  kEnd = 3,      // the program is about to end, as recorded or with a report
};

constexpr uint32_t kNoSlot = ~0u;

struct DebugControl {
  // Set by the tool before the start, and at stops.
  uint32_t enabled;
  uint32_t serial;          // one thread runs at a time (order/serial.h)
  uint32_t stop_slot;       // trap kCount; kNoSlot: nowhere
  uint32_t holder;          // slot whose thread has the turn
  uint64_t stop_count;
  uint64_t outputs_shown;   // so many have been written already, by a copy that was further
  // Where things are in the host.
  uint64_t trap;            // address after the instruction that traps
  uint64_t system_call;     // of a `syscall` that is not dispatched
  uint64_t dispatch_begin, dispatch_bytes, dispatch_selector;
  uint64_t patched_call;    // where patched code calls it: rcx is a Trampoline (syscalls/patches.h)
  uint64_t restorer;        // where handlers of the host's return: the kernel's context is at rsp ...
  uint64_t sigreturn;       // ... and at rdi
  uint64_t turns;           // uint32_t[kMaxSlots]: the slot's thread may run
  uint64_t slots, slot_bytes;        // Slot[kMaxSlots], and in each:
  uint64_t clear_tid, signal_stack, signal_stack_bytes;
  // Where the execution is.
  uint64_t switches;        // so often another thread has got the turn
  uint64_t outputs;         // writes to stdout and stderr
};
static_assert(sizeof(DebugControl) == 160);

// What a slot's thread waits for, in SlotShared.
struct DebugWait {
  uint32_t kind;            // SerialState
  uint32_t slot;            // of whom, or kNoSlot
  uint64_t word;            // address
  uint32_t value;
  uint32_t padding;
};
static_assert(sizeof(DebugWait) == 24);

// What a slot's thread is about to take, and what it has taken and not left: locks and the like, by address. In SlotShared,
// in replays only; `taken` only under a debugger.
constexpr uint32_t kMaxTaken = 14;  // those taken last
constexpr uint64_t kFirstLock = 4096;

// What kind of object it wants, above the bits of the address.
enum class WantedKind : uint8_t { kUnknown, kMutex, kReadWriteLock, kSpinLock, kCondition, kSemaphore, kBarrier };
constexpr uint32_t kWantedKindShift = 56;

struct DebugLocks {
  uint64_t wants;           // below kFirstLock: one more than the slot of a thread that shall end; 0: nothing
  uint64_t next;            // of `taken`, a ring
  uint64_t taken[kMaxTaken];
};
static_assert(sizeof(DebugLocks) == 128);

enum class SerialState : uint32_t {
  kNobody = 0,   // the slot has no thread
  kReady,        // runs, or waits for nothing but its turn
  kUntilAtLeast, // until the word has this value or more
  kUntilOther,   // until the word has another value
  kYielded,      // until others have gone on
  kParked,       // for ever
};

}  // namespace ana
