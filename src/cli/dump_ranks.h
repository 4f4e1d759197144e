// `dump` of MPI recordings.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace ana {

struct DumpRanksOptions {
  std::optional<uint32_t> rank;
  std::optional<uint32_t> stream;  // of each rank
  uint64_t limit = 0;              // events of each stream; 0: all
  bool json = false;
};
// The exit status.
int dump_mpi(const std::string& trace, const DumpRanksOptions& options);

}  // namespace ana
