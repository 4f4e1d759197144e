// What the program outside (outside.cc) tells this library, of which it is the caller in the place of a recorded program.
#pragma once
#include <stdint.h>

#include "trace/outside.h"

static_assert(offsetof(ana::OutsideRequest, function) == 8 && offsetof(ana::OutsideRequest, words) == 24 &&
              offsetof(ana::OutsideRequest, result) == 216 && offsetof(ana::OutsideRequest, number) == 224 &&
              ana::kOutsideWords == 24);  // outside_call.S

extern "C" {
// Before anything else. `park` is called instead of ending the job where the recording of a thread ends: the recorded
// program is the one to end it, when all its threads have come to their ends.
void ana_outside_start(void (*park)());
// The calling thread makes the calls of this slot.
void ana_outside_thread(uint32_t slot);
// The next call is made there.
void ana_outside_site(uint64_t site);
// Replay: all threads of this rank have come to their ends. Returns when those of all ranks have.
void ana_outside_end();
}

namespace ana::mpi {

// Whether there is a recorded program; where it makes the present call, or null.
bool has_recorded_program();
const void* site_inside();
// Its file and the offset in it; false: not in the program itself.
bool find_inside(const void* site, const char*& module, uint64_t& offset);
[[noreturn]] void park_inside();

}  // namespace ana::mpi
