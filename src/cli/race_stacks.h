// Who called, at the accesses of races: found in one more replay, which only looks at them.
#pragma once
#include "cli/thread_races.h"

namespace ana {

// Adds stacks, and values where the detector was told none. Without, if that replay does not succeed.
void add_stacks(ToldReplay& replay, ThreadRaces& races);
// The calls that led to an access, innermost first, by the addresses that they return to; null if not known.
const std::vector<uint64_t>* calls_of(const races::Access& access, const ThreadRaces& races);

}  // namespace ana
