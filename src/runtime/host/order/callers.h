// Replay that tells: which call of the program's a wrapper of a library function works for. The entries of HostApi by
// which wrappers access memory and use objects look it up first, by the frame pointers that wrappers keep
// (runtime/CMakeLists.txt); of programs whose wrappers keep none, nothing is found. Recordings and other replays have the
// entries without.
#pragma once
#include "runtime/host/slot.h"
#include "runtime/host_api.h"

namespace ana {

// Before the program sees the table.
void note_callers(HostApi& api);
// The site to tell of what happens at `site`: the caller's if that is a place of the runtime's own and the caller is known.
uint64_t told_site(const Slot& slot, uint64_t site);

}  // namespace ana
