// `stats --optimal`: what the trace of an MPI job saved, against the least that it could have.
#pragma once
#include <string>

namespace ana {

int optimal_mpi(const std::string& trace, bool json);

}  // namespace ana
