// Where traces are kept and what they are called. A *root* holds traces <program>-<N> and a link `latest-trace`; it is
// $ANAPHORA_TRACE_DIR, else $XDG_DATA_HOME/anaphora, else ~/.local/share/anaphora. A trace may also lie anywhere else.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "trace/result.h"

namespace ana {

constexpr const char* kLatestLink = "latest-trace";

class TraceStore {
 public:
  explicit TraceStore(std::string root) : root_(std::move(root)) {}
  // From the environment; an error if it says nothing at all.
  static Result<TraceStore> standard();

  const std::string& root() const { return root_; }
  Status make_root() const;
  // <root>/<program>-<N>, N one more than the largest there is.
  std::string next_name(const std::string& program) const;
  // Full paths, oldest first.
  std::vector<std::string> traces() const;
  std::optional<std::string> latest() const;
  // Points the link at a trace in this root; others are not linked.
  Status set_latest(const std::string& trace) const;
  // After a removal: the link goes to the newest trace left, or away.
  void repair_latest() const;

 private:
  std::string root_;
};

// Where `record -o what program` saves; without -o, `what` is empty. An existing directory that is not a trace is used
// as a root; a name without a slash is a trace in the standard root; anything else is the trace's own path.
struct Destination {
  std::string trace;
  std::optional<TraceStore> store;  // whose `latest-trace` becomes this trace
};
Result<Destination> choose_destination(const std::string& what, const std::string& program);

// What the user means by a trace: a path, a name in the standard root, a directory with a `latest-trace`, or, if empty,
// the latest one of all. The error lists what there is.
Result<std::string> find_trace(const std::string& what);

bool is_trace(const std::string& path);
// In the recording of an MPI job, where the threads of a rank were recorded: a trace in its own right.
std::string threads_path(const std::string& trace, uint32_t rank);
std::vector<std::string> threads_of_ranks(const std::string& trace);
uint64_t bytes_on_disk(const std::string& trace);
// Only what is a trace, and only the files that a trace has.
Status remove_trace(const std::string& trace);

}  // namespace ana
