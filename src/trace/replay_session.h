// One replay without a debugger: checks that this machine and program can do it, builds the schedule, runs the program
// under the host and judges the end. Used by `anaphora replay -a` and by those who
// look at replays, from one thread.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/host_process.h"
#include "trace/load_schedule.h"
#include "trace/manifest.h"
#include "trace/printed_file.h"
#include "trace/result.h"
#include "trace/told_sink.h"
#include "trace/trace_reader.h"

namespace ana {

struct ReplayRequest {
  std::string host;
  uint32_t timeout_seconds = 300;  // without progress; 0: for ever
  Slices slices = Slices::kNever;  // only for traces of Lamport algorithms
  std::string references = {};     // a file for every reference of the execution; empty: none
  // Told again and again: the counts of the threads, and what they will be at the end (0: the recording does not say).
  std::function<void(uint64_t done, uint64_t all)> progress = {};
  ToldSink* sink = nullptr;        // instead of a file: who gets what `telling` says
  Telling telling = Telling::kReferences;
  struct {
    uint64_t address = 0, bytes = 0;
  } wrappers = {};                 // of the program; if given, it is told who called them
  bool silent = false;             // what the program writes to stdout and stderr is not shown
};

struct ReplayOutcome {
  ProgramEnd expected;           // as recorded
  ProgramEnd end;                // as replayed
  std::optional<Report> report;  // what the runtime stopped for
  bool timed_out = false;
  bool interrupted = false;        // by the user
  bool had_enough = false;         // by the sink, before its end
  std::vector<SlotSummary> slots;  // where they stood at the end
  uint64_t references = 0;         // written

  bool same_end() const { return end.status == expected.status && end.signal == expected.signal; }
  bool faithful() const { return !report && !timed_out && same_end(); }
  // The same, or it came to the report with which the recording ended.
  bool as_recorded(const Manifest& manifest) const;
};

// The program, in the trace or at its recorded path, is the recorded one; packed files are intact; this processor has
// all that the recording one had.
Status check_replayable(const Manifest& manifest, const PackedFiles& packed);

// How the recording ended. A recording without an end was killed, and its program with it.
ProgramEnd recorded_end(const Manifest& manifest);

// The session's header as a replay of this trace needs it.
Status prepare_session(const TraceReader& reader, Slices slices, SharedSession& session);

// The files that the recording refers to (kept_files.h), in the order of the schedule's; an error if one is not what it was.
Result<std::vector<UniqueFd>> open_kept_files(const TraceReader& reader, const Schedule& schedule);
// The host gets them; they have to stay open until it has started.
void hand_over(const std::vector<UniqueFd>& files, const Schedule& schedule, SessionHeader& header,
               HostCommand& command);

// What other processes printed; of a forked child, its parent's trace has it.
Result<Printed> open_printed(const TraceReader& reader);
void hand_over(const Printed& printed, SessionHeader& header, HostCommand& command);

// With `references`, an error or a replay that is not as recorded leaves no file behind.
Result<ReplayOutcome> replay(const TraceReader& reader, const Schedule& schedule, const ReplayRequest& request);

}  // namespace ana
