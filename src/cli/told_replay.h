// Replays of a recording of threads whose events somebody looks at: `races`, `deps`, `why`. The program's output is not
// shown.
#pragma once
#include <string>
#include <vector>

#include "trace/replay_session.h"
#include "trace/step_table.h"
#include "trace/told_sink.h"
#include "trace/trace_reader.h"

namespace ana {

class ToldReplay {
 public:
  // Says what there is to be said of the trace; checks that it can be replayed here.
  static Result<ToldReplay> open(const std::string& path, uint32_t timeout_seconds);

  const TraceReader& reader() const { return reader_; }
  // The program tells each access by itself; else it has to be followed by instructions to know them.
  bool every_access() const { return every_access_; }
  // From beginning to end. `places`: only accesses to these have to be told; none: all. An error if it is not as recorded.
  Status run(Telling telling, ToldSink& sink, const char* title, const std::vector<StepPlace>& places = {}) const;

 private:
  ToldReplay(TraceReader reader, std::string host, uint32_t timeout_seconds, bool every_access)
      : reader_(std::move(reader)), host_(std::move(host)), timeout_seconds_(timeout_seconds), every_access_(every_access) {}

  TraceReader reader_;
  std::string host_;
  uint32_t timeout_seconds_;
  bool every_access_;
};

}  // namespace ana
