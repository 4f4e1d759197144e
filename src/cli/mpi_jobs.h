// `record` and `replay` of MPI jobs: the launcher starts one tool for each rank, and each comes here.
#pragma once
#include <string>
#include <vector>

#include "trace/rank_session.h"

namespace ana {

// "openmpi" or "mpich" if this is a rank of an MPI program; empty: an ordinary program.
std::string mpi_to_record(const std::string& path);

struct MpiRecordArguments {
  std::string where;  // -o
  bool quiet = false;
  RankOptions options;
};
// The exit status.
int record_mpi(const std::string& mpi, const std::string& path, const std::vector<std::string>& arguments,
               const MpiRecordArguments& options);

int replay_mpi(const std::string& trace, const RankReplayOptions& options, bool quiet);

// An error that every rank would report: one is enough.
int fail_once(const Error& error, int status);

}  // namespace ana
