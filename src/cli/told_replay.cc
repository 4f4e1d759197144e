#include "cli/told_replay.h"

#include <algorithm>

#include "cli/followed_code.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "runtime/layout.h"
#include "trace/elf_file.h"
#include "trace/make_step_table.h"
#include "trace/mpi_manifest.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

std::string why_not(const ReplayOutcome& outcome, const TraceReader& reader, uint32_t timeout_seconds) {
  SiteResolver sites(reader);
  if (outcome.report) return describe_report(*outcome.report, outcome.slots, sites);
  if (outcome.timed_out)
    return fmt::format("no thread has moved for {} s, so the replay was stopped (--timeout changes that)",
                       timeout_seconds);
  if (outcome.interrupted) return "the replay was interrupted";
  return fmt::format("the replay ended with {}, the recording with {}", describe_end(outcome.end),
                     describe_end(outcome.expected));
}

}  // namespace

const algorithms::Entry& algorithm_of(const Manifest& manifest) {
  return *algorithms::find_algorithm(manifest.tuning.algorithm.c_str());
}

Status check_one_order(const Manifest& manifest) {
  if (algorithm_of(manifest).logs != algorithms::Logs::raw_waw) return {};
  return Error{"traces of " + manifest.tuning.algorithm + " do not order writes after reads, so there is no one order of "
               "the references; record with rwtrace-2 instead"};
}

namespace {

// The program's own, by the trap flag. Nothing if it tells each access by itself.
Result<std::optional<StepCode>> code_to_step(const ElfFile& elf, const std::string& path) {
  if (elf.section("ana_every_access")) return std::optional<StepCode>();
  auto code = read_step_code(elf, layout::kProgram);
  if (!code) return Error{path + " " + code.error().text};
  return std::optional<StepCode>(std::move(*code));
}

}  // namespace

Status follow_code(const TraceReader& reader, Schedule& schedule, const TranslationWishes& wishes) {
  auto code = FollowedCode::read(reader, schedule, FollowedCode::Which::kWithoutEveryAccess);
  if (!code) return code.error();
  return code->add_to(schedule, wishes);
}

Status follow_instructions(const TraceReader& reader, Schedule& schedule, const std::vector<StepPlace>& places) {
  auto elf = ElfFile::open(reader.program_file());
  if (!elf) return elf.error();
  auto code = code_to_step(*elf, reader.program_file());
  if (!code) return code.error();
  if (!*code) return {};
  std::vector<uint8_t> table = make_step_table(**code);
  set_places(table, places);
  return add_steps(schedule, table);
}

namespace {

uint64_t bias_of_program(const ElfFile& elf) { return elf.position_independent() ? layout::kProgram : 0; }

void look_for_wrappers(ReplayRequest& request, const std::string& program) {
  auto elf = ElfFile::open(program);
  auto section = elf ? elf->section(kWrappersSection) : std::nullopt;
  if (section) request.wrappers = {bias_of_program(*elf) + section->address, section->bytes};
}

void add_variables(const ElfFile& elf, uint64_t bias, std::vector<Variables::Range>& to) {
  for (const ElfFile::Symbol& v : elf.variables()) to.emplace_back(bias + v.address, bias + v.address + v.bytes - 1);
}

}  // namespace

Result<ToldReplay> ToldReplay::open(const std::string& path, uint32_t timeout_seconds) {
  if (is_mpi_trace(path)) return Error{path + " is the recording of an MPI job; this is for recordings of threads"};
  if (Status s = check_not_of_rank(path); !s) return s.error();
  auto reader = TraceReader::open(path);
  if (!reader) return reader.error();
  if (Status s = reader->packed().check(); !s) return s.error();
  if (Status s = check_replayable(reader->manifest(), reader->packed()); !s) return s.error();
  if (Status s = check_one_order(reader->manifest()); !s) return s.error();
  auto host = find_host();
  if (!host) return host.error();
  auto schedule = load_schedule(*reader);
  if (!schedule) return schedule.error();
  if (!schedule->problems.empty())
    return Error{"the order in the trace is impossible: " + schedule->problems[0] +
                 "; was it changed after it was recorded?"};
  ReplayRequest request{};
  request.host = *host;
  request.timeout_seconds = timeout_seconds;
  request.silent = true;
  if (algorithm_of(reader->manifest()).logs == algorithms::Logs::clocks) request.slices = Slices::kEveryEvent;
  look_for_wrappers(request, reader->program_file());
  bool every_access = has_every_access(*reader, *schedule);
  return ToldReplay(std::move(*reader), std::move(*schedule), std::move(request), every_access);
}

Variables ToldReplay::variables() const {
  std::vector<Variables::Range> all;
  if (auto elf = ElfFile::open(reader_.program_file())) add_variables(*elf, bias_of_program(*elf), all);
  for (const MappedLibrary& library : schedule_.libraries.all())
    if (auto elf = ElfFile::open(library.file)) add_variables(*elf, library.bias, all);
  std::sort(all.begin(), all.end());
  return Variables(std::move(all));
}

Status ToldReplay::run(Telling telling, ToldSink& sink, const char* title, const TranslationWishes& wishes) {
  if (telling != Telling::kClaims) {
    if (Status s = follow_code(reader_, schedule_, wishes); !s) return s;
  }
  return run_prepared(telling, sink, title);
}

Status ToldReplay::run_stepping(ToldSink& sink, const char* title, const std::vector<StepPlace>& places) {
  if (Status s = follow_instructions(reader_, schedule_, places); !s) return s;
  return run_prepared(Telling::kSynchronisation, sink, title);
}

Status ToldReplay::look(const std::vector<Look>& wanted, ToldSink& sink) {
  if (wanted.empty()) return {};
  auto code = FollowedCode::read(reader_, schedule_, FollowedCode::Which::kAll);
  if (!code) return code.error();
  TranslationWishes wishes;
  for (const Look& look : wanted) {
    std::vector<Look> each = code->with_operands(look);
    wishes.looks.insert(wishes.looks.end(), each.begin(), each.end());
  }
  if (Status s = code->add_to(schedule_, wishes); !s) return s;
  return run_prepared(Telling::kSynchronisation, sink, "looking at stacks");
}

Status ToldReplay::run_prepared(Telling telling, ToldSink& sink, const char* title) {
  ProgressLine line(title);
  request_.progress = [&](uint64_t done, uint64_t all) { line.update(done, all); };
  request_.sink = &sink;
  request_.telling = telling;
  auto outcome = replay(reader_, schedule_, request_);
  line.clear();
  if (!outcome) return outcome.error();
  runs_.push_back({title, !outcome->had_enough});
  met_library_ = outcome->report && outcome->report->kind == static_cast<uint32_t>(ReportKind::kNotFollowed) &&
                 outcome->report->a == 1;
  if (!outcome->had_enough && !outcome->as_recorded(reader_.manifest()))
    return Error{why_not(*outcome, reader_, request_.timeout_seconds)};
  return {};
}

}  // namespace ana
