// One rank of an MPI job, recorded or replayed: starts the program with our library in it, answers what that asks in
// MPI_Init (rank_link.h), and waits for its end. Each rank has a tool of its own, which the launcher starts; the ranks
// find each other through MPI alone. Used from one thread.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/mpi_manifest.h"
#include "trace/rank_link.h"
#include "trace/rank_trace.h"
#include "trace/result.h"
#include "trace/unique_fd.h"

namespace ana {

// A rank whose threads are recorded as well: they have a session of their own, in the process of the rank's (which has
// the program in a child), and a trace of their own in the recording.
struct RankThreads {
  std::function<ProgramEnd()> run;   // records or replays the threads; empty: they are not recorded
  std::string outside;               // the program that runs MPI (outside.h)
  std::string directory;             // record: their trace, until the rank knows where the recording is
  std::string problem;               // replay: why their trace is of no use, to be said when all ranks can end
};

struct RankRequest {
  std::string library;               // to preload
  std::string mpi;
  std::vector<std::string> command;  // the program, as a path that can be executed, and its arguments
  std::string directory;             // to run in; empty: where the tool is
  RankThreads threads;
  std::string file = "";             // what is executed, if it is not where the command says
};

struct RankOutcome {
  ProgramEnd end;
  bool entered = false;              // MPI_Init was reached
  std::string trace;                 // directory of the recording
  uint32_t rank = 0;
  std::optional<RankReport> report;  // why it was ended
  bool timed_out = false;
  uint64_t held = 0, hurried = 0;    // RankPage
};

struct RankReplayOptions {
  uint32_t timeout_seconds = 0;   // without any call of MPI; 0: for ever
  bool control_messages = false;
  std::optional<uint32_t> rank;   // only this one, from recorded contents
};

// Where rank 0 makes the recording: called once, in rank 0 only; gives the directory.
using MakeTrace = std::function<Result<std::string>(uint32_t ranks)>;
using ShowReport = std::function<void(const RankReport&)>;

// What identifies a program or a script.
Result<ProgramFile> identify_command(const std::string& path);

Result<RankOutcome> record_rank(const RankRequest& request, const RankOptions& options, const MakeTrace& make_trace,
                                const ShowReport& show);
// A rank that is replayed alone by a debugger, in as many copies as that likes: nobody has to serve it.
struct DebuggedRank {
  UniqueFd schedule, window, page;
};
Result<DebuggedRank> prepare_debugged_rank(const RankRequest& request, const std::string& trace, uint32_t rank);
// In a new process: becomes the program. Comes back if that cannot be executed.
void become_debugged_rank(const RankRequest& request, const DebuggedRank& rank);

Result<RankOutcome> replay_rank(const RankRequest& request, const std::string& trace, const RankReplayOptions& options,
                                const ShowReport& show);

}  // namespace ana
