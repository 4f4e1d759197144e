// `stats`, `verify` and `races` of MPI recordings.
#pragma once
#include <string>

namespace ana {

int stats_mpi(const std::string& trace, bool each_rank, bool json);
int verify_mpi(const std::string& trace, bool json);

}  // namespace ana
