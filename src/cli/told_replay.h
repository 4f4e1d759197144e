// Replays of a recording of threads whose events somebody looks at: `races`, `deps`, `why`. The program's output is not
// shown.
#pragma once
#include <string>
#include <vector>

#include "algorithms/catalogue.h"
#include "analysis/variables.h"
#include "trace/load_schedule.h"
#include "trace/looks.h"
#include "trace/replay_session.h"
#include "trace/step_table.h"
#include "trace/told_sink.h"
#include "trace/trace_reader.h"
#include "trace/translate.h"

namespace ana {

const algorithms::Entry& algorithm_of(const Manifest& manifest);
// An error if the trace's algorithm leaves more than one order of the accesses possible.
Status check_one_order(const Manifest& manifest);
// Code that was not compiled with --every-access will be followed, by a translation.
Status follow_code(const TraceReader& reader, Schedule& schedule, const TranslationWishes& wishes = {});
// The same by the processor's trap flag, which is slow. `places`: only accesses to these have to be told; none: all.
Status follow_instructions(const TraceReader& reader, Schedule& schedule, const std::vector<StepPlace>& places = {});

class ToldReplay {
 public:
  // Says what there is to be said of the trace; checks that it can be replayed here.
  static Result<ToldReplay> open(const std::string& path, uint32_t timeout_seconds);

  const TraceReader& reader() const { return reader_; }
  // Of the program, and of its own libraries.
  Variables variables() const;
  // Some code of the program's own tells each access by itself; what does not is followed to know them.
  bool every_access() const { return every_access_; }
  // Whether the last run() ended because a library has code that a translation does not follow.
  bool met_library() const { return met_library_; }
  // Those so far, in their order.
  struct Run {
    std::string title;
    bool whole;  // to the end of the program, not only until the sink had enough
  };
  const std::vector<Run>& runs() const { return runs_; }
  // A replay that only looks at these accesses (trace/looks.h).
  Status look(const std::vector<Look>& looks, ToldSink& sink);
  // From beginning to end, unless the sink has enough before. An error if it is not as recorded. Of claims, not by a
  // translation.
  Status run(Telling telling, ToldSink& sink, const char* title, const TranslationWishes& wishes = {});
  // The same by the trap flag: accesses to these places, or all.
  Status run_stepping(ToldSink& sink, const char* title, const std::vector<StepPlace>& places);

 private:
  Status run_prepared(Telling telling, ToldSink& sink, const char* title);
  ToldReplay(TraceReader reader, Schedule schedule, ReplayRequest request, bool every_access)
      : reader_(std::move(reader)),
        schedule_(std::move(schedule)),
        request_(std::move(request)),
        every_access_(every_access) {}

  TraceReader reader_;
  Schedule schedule_;
  ReplayRequest request_;
  bool every_access_;
  bool met_library_ = false;
  std::vector<Run> runs_;
};

}  // namespace ana
