// `stats`, `verify` and `races` of MPI recordings.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "trace/mpi_manifest.h"
#include "trace/rank_trace.h"

namespace ana {

// Of what a rank got, if it was saved.
struct ContentsBytes {
  uint64_t raw = 0, stored = 0;
};

struct Job {
  MpiManifest manifest;
  std::vector<RankTrace> ranks;
  std::vector<ContentsBytes> contents;  // by rank
};
Result<Job> read_job(const std::string& trace);

int stats_mpi(const std::string& trace, bool each_rank, bool json);
// What is wrong with a trace, and what is worth knowing of it.
struct Verdict {
  std::vector<std::string> errors;
  std::vector<std::string> notes;
};
// `examine` looks at traces of threads.
int verify_mpi(const std::string& trace, bool json, const std::function<Verdict(const std::string&)>& examine);

}  // namespace ana
