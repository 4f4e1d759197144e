#include "cli/told_replay.h"

#include "algorithms/catalogue.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "runtime/layout.h"
#include "trace/elf_file.h"
#include "trace/load_schedule.h"
#include "trace/make_step_table.h"

namespace ana {

namespace {

std::string why_not(const ReplayOutcome& outcome, const TraceReader& reader, uint32_t timeout_seconds) {
  SiteResolver sites(reader.program_file());
  if (outcome.report) return describe_report(*outcome.report, outcome.slots, sites);
  if (outcome.timed_out)
    return fmt::format("no thread has moved for {} s, so the replay was stopped (--timeout changes that)", timeout_seconds);
  if (outcome.interrupted) return "the replay was interrupted";
  return fmt::format("the replay ended with {}, the recording with {}", describe_end(outcome.end),
                     describe_end(outcome.expected));
}

}  // namespace

Result<ToldReplay> ToldReplay::open(const std::string& path, uint32_t timeout_seconds) {
  auto reader = TraceReader::open(path);
  if (!reader) return reader.error();
  if (Status s = reader->packed().check(); !s) return s.error();
  if (Status s = check_replayable(reader->manifest(), reader->packed()); !s) return s.error();
  const std::string& algorithm = reader->manifest().tuning.algorithm;
  if (algorithms::find_algorithm(algorithm.c_str())->logs == algorithms::Logs::raw_waw)
    return Error{"traces of " + algorithm + " do not order writes after reads, so there is no one order of the accesses; "
                 "record with rwtrace-2 instead"};
  auto host = find_host();
  if (!host) return host.error();
  auto elf = ElfFile::open(reader->program_file());
  if (!elf) return elf.error();
  bool every_access = elf->section("ana_every_access").has_value();
  return ToldReplay(std::move(*reader), *host, timeout_seconds, every_access);
}

Status ToldReplay::run(Telling telling, ToldSink& sink, const char* title, const std::vector<StepPlace>& places) const {
  auto schedule = load_schedule(reader_, {});
  if (!schedule) return schedule.error();
  if (!schedule->problems.empty())
    return Error{"the order in the trace is impossible: " + schedule->problems[0] + "; was it changed after it was recorded?"};
  if (!every_access_ && telling != Telling::kClaims) {
    auto elf = ElfFile::open(reader_.program_file());
    if (!elf) return elf.error();
    auto table = make_step_table(*elf, layout::kProgram);
    if (!table) return Error{reader_.program_file() + " " + table.error().text};
    set_places(*table, places);
    if (Status s = add_steps(*schedule, *table); !s) return s;
  }
  ProgressLine line(title);
  ReplayRequest request{};
  request.host = host_;
  request.timeout_seconds = timeout_seconds_;
  request.progress = [&](uint64_t done, uint64_t all) { line.update(done, all); };
  request.sink = &sink;
  const auto& algorithm = *algorithms::find_algorithm(reader_.manifest().tuning.algorithm.c_str());
  if (algorithm.logs == algorithms::Logs::clocks) request.slices = Slices::kEveryEvent;
  request.telling = telling;
  request.silent = true;
  auto outcome = replay(reader_, *schedule, request);
  line.clear();
  if (!outcome) return outcome.error();
  if (!outcome->as_recorded(reader_.manifest())) return Error{why_not(*outcome, reader_, timeout_seconds_)};
  return {};
}

}  // namespace ana
