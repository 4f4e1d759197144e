// anaphora verify [trace]: reads all of it, and checks that it can be replayed here.
#include "cli/commands.h"
#include "cli/mpi_reports.h"
#include "cli/output.h"
#include "trace/load_schedule.h"
#include "trace/mpi_manifest.h"
#include "trace/replay_session.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

nlohmann::json to_json(const std::string& path, const Verdict& verdict) {
  return {{"trace", path}, {"ok", verdict.errors.empty()}, {"errors", verdict.errors}, {"notes", verdict.notes}};
}

void check_printed(const TraceReader& reader, Verdict& verdict) {
  auto printed = open_printed(reader);
  if (!printed) {
    verdict.errors.push_back(printed.error().text);
  } else if (!printed->has_end) {
    uint64_t lost = printed->lost_bytes;
    verdict.notes.push_back("what other processes printed has no end: one of them lives, or the relay was killed" +
                            (lost == 0 ? "" : fmt::format("; {} of it are damaged", human_bytes(lost))));
  }
}

Verdict examine(const std::string& path) {
  Verdict verdict;
  auto reader = TraceReader::open(path);
  if (!reader) {
    verdict.errors.push_back(reader.error().text);
    return verdict;
  }
  if (!reader->has_end())
    verdict.notes.push_back("the recorder was killed, or is still recording: the trace has no end");
  if (reader->lost_bytes() > 0) {
    verdict.notes.push_back(
        fmt::format("the last {} of the streams are damaged and left out", human_bytes(reader->lost_bytes())));
  }
  if (Status s = reader->packed().check(); !s) {
    verdict.errors.push_back(s.error().text);
  } else if (s = check_replayable(reader->manifest(), reader->packed()); !s) {
    verdict.notes.push_back("cannot be replayed here: " + s.error().text);
  }
  ProgressLine line("verifying");
  auto schedule = load_schedule(*reader, [&](uint64_t done, uint64_t total) { line.update(done, total); });
  if (!schedule) {
    verdict.errors.push_back(schedule.error().text);
    return verdict;
  }
  for (const std::string& problem : schedule->problems) verdict.errors.push_back(problem);
  if (auto kept = open_kept_files(*reader, *schedule); !kept) verdict.errors.push_back(kept.error().text);
  check_printed(*reader, verdict);
  if (schedule->cut_slots > 0) {
    verdict.notes.push_back(
        fmt::format("{} threads are cut short, since what they wait for was not saved", schedule->cut_slots));
  }
  verdict.notes.push_back(fmt::format("{} slots, {} edges, {} values, {} publications; the schedule takes {}",
                                      schedule->slots, human_count(schedule->edges), human_count(schedule->values),
                                      human_count(schedule->publications), human_bytes(schedule->bytes)));
  return verdict;
}

int run(const std::string& trace, bool json) {
  auto path = find_trace(trace);
  if (!path) return fail(path.error(), kExitFailed);
  if (is_mpi_trace(*path)) return verify_mpi(*path, json, examine);
  Verdict verdict = examine(*path);
  if (json) {
    print_json(to_json(*path, verdict));
  } else {
    for (const std::string& error : verdict.errors) fmt::print("error: {}\n", error);
    for (const std::string& note : verdict.notes) fmt::print("{}\n", note);
    fmt::print("{}: {}\n", *path, verdict.errors.empty() ? "intact" : "damaged");
  }
  return verdict.errors.empty() ? 0 : kExitFailed;
}

}  // namespace

Command add_verify(CLI::App& root) { return add_trace_command(root, "verify", "Check that a trace is intact", run); }

}  // namespace ana
