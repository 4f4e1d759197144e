#include "cli/told_replay.h"

#include "cli/output.h"
#include "cli/report_text.h"
#include "runtime/layout.h"
#include "trace/atomic_checks.h"
#include "trace/elf_file.h"
#include "trace/known_operands.h"
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

// Nothing if the program tells each access by itself.
Result<std::optional<StepCode>> code_to_follow(const ElfFile& elf, const std::string& path) {
  if (elf.section("ana_every_access")) return std::optional<StepCode>();
  auto code = read_step_code(elf, layout::kProgram);
  if (!code) return Error{path + " " + code.error().text};
  return std::optional<StepCode>(std::move(*code));
}

}  // namespace

Status follow_code(const TraceReader& reader, Schedule& schedule, const TranslationWishes& wishes) {
  auto elf = ElfFile::open(reader.program_file());
  if (!elf) return elf.error();
  auto code = code_to_follow(*elf, reader.program_file());
  if (!code) return code.error();
  if (!*code) return {};
  if (wishes.once == TranslationWishes::Once::kNothing)
    return add_translation(schedule, translate(**code, *elf, layout::kProgram, wishes), known_operands(**code));
  AtomicChecks atomics(**code, *elf, layout::kProgram);
  if (!wishes.order.empty()) atomics.relax_counted();
  atomics.mark_relaxed(**code);
  std::vector<KnownOperand> operands = known_operands(**code);
  atomics.relax(operands);
  return add_translation(schedule, translate(**code, *elf, layout::kProgram, wishes), std::move(operands));
}

Status follow_instructions(const TraceReader& reader, Schedule& schedule, const std::vector<StepPlace>& places) {
  auto elf = ElfFile::open(reader.program_file());
  if (!elf) return elf.error();
  auto code = code_to_follow(*elf, reader.program_file());
  if (!code) return code.error();
  if (!*code) return {};
  std::vector<uint8_t> table = make_step_table(**code);
  set_places(table, places);
  return add_steps(schedule, table);
}

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
  auto elf = ElfFile::open(reader->program_file());
  if (!elf) return elf.error();
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
  if (auto wrappers = elf->section(kWrappersSection))
    request.wrappers = {wrappers->address + (elf->position_independent() ? layout::kProgram : 0), wrappers->bytes};
  bool every_access = elf->section("ana_every_access").has_value();
  return ToldReplay(std::move(*reader), std::move(*schedule), std::move(request), every_access);
}

Variables ToldReplay::variables() const {
  std::vector<Variables::Range> out;
  auto elf = ElfFile::open(reader_.program_file());
  if (!elf) return Variables();
  uint64_t base = elf->position_independent() ? layout::kProgram : 0;
  for (const ElfFile::Symbol& v : elf->variables()) out.emplace_back(base + v.address, base + v.address + v.bytes - 1);
  return Variables(std::move(out));
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

// Instructions are given all their operands: the one that has the address is looked at.
Status ToldReplay::look(const std::vector<Look>& wanted, ToldSink& sink) {
  auto elf = ElfFile::open(reader_.program_file());
  if (!elf) return elf.error();
  auto code = read_step_code(*elf, layout::kProgram);
  if (!code) return code.error();
  TranslationWishes wishes;
  for (Look look : wanted) {
    bool is_code = look.site >= code->begin && look.site < code->end();
    uint32_t what = is_code ? code->index[look.site - code->begin] : kStepPlain;
    if (what < kStepFirstOperand) {
      wishes.looks.push_back(look);
      continue;
    }
    for (uint32_t n = what - kStepFirstOperand;; n++) {
      look.operand = code->operands[n];
      wishes.looks.push_back(look);
      if (look.operand.last) break;
    }
  }
  if (wishes.looks.empty()) return {};
  if (Status s = add_translation(schedule_, translate(*code, *elf, layout::kProgram, wishes), {}); !s) return s;
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
  met_library_ = outcome->report && outcome->report->kind == static_cast<uint32_t>(ReportKind::kUnsupportedFeature) &&
                 outcome->report->a == 1;
  if (!outcome->had_enough && !outcome->as_recorded(reader_.manifest()))
    return Error{why_not(*outcome, reader_, request_.timeout_seconds)};
  return {};
}

}  // namespace ana
