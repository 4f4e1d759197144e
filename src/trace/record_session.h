// One recording: makes the trace, runs the program under the host, empties its rings until it is dead, writes the end.
// Used by `anaphora record`, from one thread.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/fork_recorders.h"
#include "trace/host_process.h"
#include "trace/kept_files.h"
#include "trace/manifest.h"
#include "trace/output_relay.h"
#include "trace/result.h"
#include "trace/stream_writer.h"

namespace ana {

// How far a recording is.
struct RecordProgress {
  uint32_t threads = 0;  // alive
  uint64_t events = 0, trace_bytes = 0;
  double seconds = 0;
};

struct RecordRequest {
  std::string host;                    // anaphora-host
  std::string directory;               // of the trace; is made
  std::string program;                 // a path that can be opened
  std::vector<std::string> arguments;  // without the program
  RecordTuning tuning;
  uint64_t max_bytes = 0;              // of streams and kept files; then the program is stopped. 0: no limit
  uint32_t timeout = 0;                // seconds after which the program is ended. 0: no limit
  bool only_failures = false;          // the trace of a program that ends well will not be wanted
  std::string children = {};           // where the traces of forked children go; empty: they are not recorded
  bool runs_once = false;              // what the program inherits through the tool is not needed again
  std::function<void(const RecordProgress&)> progress = {};  // told now and then while the program runs
};

class RecordSession {
 public:
  // Makes the directory and a first manifest. The program does not run yet.
  static Result<RecordSession> create(const RecordRequest& request);

  // Runs the program to its end. An error means that the recording, not the program, failed; the trace then has no end,
  // or does not exist if `started()` is false.
  Result<Manifest> run();

  bool started() const { return started_; }
  // One of the user's signals came while the program was running.
  bool interrupted() const { return interrupted_; }
  // The program took longer than it may.
  bool timed_out() const { return timed_out_; }
  // Forked children that have outlived the program, and are recorded further.
  size_t living_children() const { return living_children_; }
  // What processes that the program started have printed is in the trace.
  bool has_printed() const { return has_printed_; }
  // What the user should know of the trace.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  RecordSession(RecordRequest request, UniqueFd directory, StreamWriter writer, SharedSession session,
                Manifest manifest);
  // In a process of its own: a child that `from` is about to fork, to its end.
  static void record_forked(RecordSession& from, SharedSession session);
  Result<HostExit> record_to_end(HostProcess& host);
  // Until the program is dead.
  Result<HostExit> pump(HostProcess& host, KeptFiles& kept);
  void tell_progress(const std::vector<SlotPosition>& positions, uint64_t bytes, double seconds) const;
  bool is_full(KeptFiles& kept) const {
    return request_.max_bytes != 0 && saved_bytes(kept) >= request_.max_bytes;
  }
  uint64_t saved_bytes(KeptFiles& kept) const {
    return writer_.totals().file_bytes + kept.bytes() + (output_relay_ ? output_relay_->stored_bytes() : 0);
  }
  bool is_late(double seconds) const;
  // Asks the program to end as ^C does, and makes it end if it has not a while later.
  void end_late(HostProcess& host, std::optional<HostExit>& exit);
  std::optional<Report> final_report();
  Status finish(const HostExit& exit, double wall_seconds);
  Status put_ends();

  RecordRequest request_;
  UniqueFd directory_;
  StreamWriter writer_;
  SharedSession session_;
  Manifest manifest_;
  ForkRecorders fork_recorders_;
  OutputRelay* output_relay_ = nullptr;  // of run(); a forked child prints to that of the first process
  size_t living_children_ = 0;
  bool started_ = false;
  bool stopped_full_ = false;
  bool interrupted_ = false;
  bool timed_out_ = false;
  bool has_printed_ = false;
  std::vector<std::string> warnings_;
};

// What identifies a program; an error if it cannot be recorded at all.
Result<ProgramFile> identify_program(const std::string& path);

std::string utc_now();  // ISO 8601

}  // namespace ana
