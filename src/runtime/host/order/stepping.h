// Replay with --trace-all of a program that was compiled without --every-access: its code checks once for several
// accesses, so each of its instructions is followed, by the processor's trap flag, and its references are found in a table
// of the program's code (trace/step_table.h). Those of library code and of operations are told as in references.h.
//
// A thread is followed from its first check on. Checks come before the accesses that they are for, and wait for the edges
// of these; a trap comes before its instruction: so stamps are taken where references.h wants them.
//
// Only the program itself is followed, not its libraries: a check that comes from one of these ends the replay.
#pragma once
#include <stdint.h>

#include "runtime/host/slot.h"
#include "trace/step_table.h"

namespace ana {

extern bool g_steps;
inline bool stepping() { return __builtin_expect(g_steps, 0); }

void stepping_init();
// At a check of the program's code: follows the thread from now on; if only some places are of interest, until it next calls
// the host, and only if the check is for one of them.
void step_from_here(Slot& slot, uint32_t ranges, uint64_t site);

// What an operand accesses, with the registers of a signal.
AnaRange range_of(const StepOperand& operand, const uint64_t* registers);

}  // namespace ana
