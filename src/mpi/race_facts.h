// Mode `racing` with --race-graph: for each message received, what decides whether it races. For racing.cc.
#pragma once
#include <mpi.h>

#include "mpi/receive.h"

namespace ana::mpi {

// Called as receives complete. `unknown`: how many of this rank's receives of any source were complete, and its sender
// did not know it.
void note_race_fact(const Posting& posting, MPI_Comm comm, int source, int tag, uint64_t unknown);

}  // namespace ana::mpi
