// `record` and `replay` of MPI jobs: the launcher starts one tool for each rank, and each comes here.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "debug/rank_debug_session.h"
#include "trace/rank_session.h"

namespace ana {

// "openmpi" or "mpich" if this is a rank of an MPI program; empty: an ordinary program.
std::string mpi_to_record(const std::string& path);

struct MpiRecordArguments {
  std::string where;  // -o
  bool quiet = false;
  RankOptions options;
  // For a program whose threads are recorded as well: into this directory, in a process of its own.
  std::function<ProgramEnd(const std::string& directory)> record_threads;
};
// The exit status.
int record_mpi(const std::string& mpi, const std::string& path, const std::vector<std::string>& arguments,
               const MpiRecordArguments& options);

using ReplayThreads = std::function<ProgramEnd(const std::string& trace)>;
// `debugger`: the rank of the options is opened in one, as far as this says; null: it runs to its end.
int replay_mpi(const std::string& trace, const RankReplayOptions& options, bool quiet,
               const ReplayThreads& replay_threads, debug::RankDebugRequest* debugger = nullptr);

// An error that every rank would report: one is enough.
int fail_once(const Error& error, int status);

}  // namespace ana
