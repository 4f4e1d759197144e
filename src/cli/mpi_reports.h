// `stats`, `verify` and `races` of MPI recordings.
#pragma once
#include <string>
#include <vector>

#include "trace/mpi_manifest.h"
#include "trace/rank_trace.h"

namespace ana {

struct Job {
  MpiManifest manifest;
  std::vector<RankTrace> ranks;
};
Result<Job> read_job(const std::string& trace);

int stats_mpi(const std::string& trace, bool each_rank, bool json);
int verify_mpi(const std::string& trace, bool json);

}  // namespace ana
