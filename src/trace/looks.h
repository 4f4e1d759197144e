// Accesses at which a replay looks closer: what is in memory before them, and who has called. Behind the origins of a
// Translation (translation.h), whose code then notes no references, but the calls that have not returned. Freestanding: used
// inside the program.
#pragma once
#include <stdint.h>

#include "trace/live_reference.h"
#include "trace/step_table.h"

namespace ana {

struct Look {
  uint64_t site, count;   // of an access, as told
  uint64_t address;
  uint32_t slot, bytes;
  StepOperand operand;    // of an instruction: the one that has this address
};

// Behind a breakpoint of the copy: this is one of them.
constexpr uint8_t kLookMark = 0x0f;
// In copies that do not look: behind a breakpoint and 0x0f, a nop that no compiler makes. All numbers of epochs have
// been used.
constexpr uint8_t kNewTablesMark = 0x1d;

struct LookTable {
  uint64_t count;
  Look look[];
};

// Calls that have not returned, from gs; the first is none. They grow from a call to the next: one whose place lies below the
// stack has returned.
struct NotedCall {
  uint64_t place;           // of the return address
  uint64_t return_address;
};
constexpr uint32_t kGsCalls = 0x90000, kCallsBytes = 0x40000;

// Told of an access that is looked at: what a LiveReference says of one. Then the calls that led to it, innermost first, each
// with its return address as its site. Then that this was all.
constexpr Told kToldLook = static_cast<Told>(100);
constexpr Told kToldCall = static_cast<Told>(101);
constexpr Told kToldLooked = static_cast<Told>(102);

}  // namespace ana
