#include "trace/replay_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "trace/elf_file.h"
#include "trace/record_session.h"
#include "trace/reference_merge.h"
#include "trace/trace_directory.h"

namespace ana {

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t kPollMilliseconds = 20, kReferenceMilliseconds = 2;

// Changes whenever a slot does anything that can be seen from outside.
uint64_t progress_of(SharedSession& session) {
  uint64_t sum = 0;
  uint32_t used = session.slots_used();
  for (uint32_t i = 0; i < used; i++) {
    SlotShared& slot = session.slot(i);
    const SlotStatus& s = slot.status;
    for (uint64_t part : {__atomic_load_n(&slot.count, __ATOMIC_RELAXED), slot.head, s.edges, s.values, s.waits,
                          s.slow_checks, uint64_t{s.state}}) {
      sum = (sum + part) * 0x9e3779b97f4a7c15ull;
    }
  }
  return sum + used;
}

// Tells how far the threads are.
class ProgressTeller {
 public:
  ProgressTeller(const ReplayRequest& request, const Manifest& manifest, SharedSession& session)
      : tell_(request.progress), session_(session) {
    for (const SlotSummary& slot : manifest.slots) all_ += slot.count;
  }
  void operator()() {
    if (!tell_) return;
    uint64_t sum = 0;
    for (uint32_t i = 0, n = session_.slots_used(); i < n; i++)
      sum += __atomic_load_n(&session_.slot(i).count, __ATOMIC_RELAXED);
    tell_(std::min(sum, all_), all_);
  }

 private:
  const std::function<void(uint64_t, uint64_t)>& tell_;
  SharedSession& session_;
  uint64_t all_ = 0;
};

// Writes every reference of a replay to a file, which it removes again unless it is kept.
class References {
 public:
  static Result<std::unique_ptr<References>> create(const ReplayRequest& request, SharedSession& session) {
    auto writer = ReferenceWriter::create(request.references);
    if (!writer) return writer.error();
    return std::unique_ptr<References>(new References(request, session, std::move(*writer)));
  }
  ~References() {
    struct stat info;
    if (!kept_ && ::stat(request_.references.c_str(), &info) == 0 && S_ISREG(info.st_mode))
      ::unlink(request_.references.c_str());
  }

  // True if there was something to take.
  Result<bool> pass() {
    auto taken = merge_.pass();
    if (!taken) return taken.error();
    return *taken != 0;
  }
  uint32_t seen_doorbell() const { return merge_.seen_doorbell(); }

  // The program has ended.
  Status finish(bool faithful) {
    if (!faithful) return {};
    for (;;) {
      auto more = pass();
      if (!more) return more.error();
      if (!*more) break;
    }
    if (Status s = merge_.check_complete(); !s) return s;
    Status s = writer_.finish();
    kept_ = s.ok();
    return s;
  }
  uint64_t written() const { return writer_.references(); }

 private:
  References(const ReplayRequest& request, SharedSession& session, ReferenceWriter writer)
      : request_(request), writer_(std::move(writer)), merge_(session, writer_) {}

  const ReplayRequest& request_;
  ReferenceWriter writer_;
  ReferenceMerge merge_;
  bool kept_ = false;
};

// The host's end, or nothing if it had to be stopped for lack of progress. `references` may be null.
Result<std::optional<HostExit>> watch(HostProcess& host, SharedSession& session, uint32_t timeout_seconds,
                                      References* references, ProgressTeller tell_progress) {
  uint64_t progress = 0;
  auto moved = Clock::now();
  for (;;) {
    if (auto exit = host.poll()) return exit;
    tell_progress();
    uint32_t seen = __atomic_load_n(&session.header().doorbell, __ATOMIC_RELAXED);
    if (references) {
      auto more = references->pass();
      if (!more) return more.error();
      if (*more) continue;
      seen = references->seen_doorbell();
    }
    uint64_t now = progress_of(session);
    if (now != progress) {
      progress = now;
      moved = Clock::now();
    } else if (timeout_seconds != 0 && Clock::now() - moved > std::chrono::seconds(timeout_seconds)) {
      return std::optional<HostExit>();
    }
    session.wait_for_doorbell(seen, references ? kReferenceMilliseconds : kPollMilliseconds);
  }
}

// Coming to the report with which the recording ended is what a replay shall do.
bool ends_as_recorded(const ReplayOutcome& outcome, const Manifest& manifest) {
  if (outcome.faithful()) return true;
  return outcome.report && manifest.end && manifest.end->report && manifest.end->report->kind == outcome.report->kind;
}

}  // namespace

Status check_replayable(const Manifest& manifest, const PackedFiles& packed) {
  auto program = identify_program(packed.find(manifest.program.path));
  if (!program) {
    return Error{fmt::format("{}; replay needs the program that was recorded, at its place (`anaphora pack` "
                             "makes a trace that brings it along)", program.error().text)};
  }
  if (program->build_id != manifest.program.build_id) {
    return Error{
        fmt::format("{} has changed since it was recorded (it was {}, now it is {}); put the old one back, or "
                    "record again",
                    manifest.program.path, manifest.program.build_id, program->build_id)};
  }
  auto missing = missing_features(manifest.machine, this_machine());
  if (!missing.empty()) {
    return Error{
        fmt::format("this processor lacks {}, which the recording one ({}) had; replay on a machine of that kind",
                    fmt::join(missing, ", "), manifest.machine.cpu)};
  }
  return {};
}

namespace {

// Where the host finds the program and its loader, if the trace has them.
Status point_to_packed(const TraceReader& reader, SessionHeader& header) {
  if (reader.packed().empty()) return {};
  std::string program = reader.program_file();
  auto elf = ElfFile::open(program);
  if (!elf) return elf.error();
  std::string loader = elf->interpreter().empty() ? "" : reader.packed().find(elf->interpreter());
  if (std::max(program.size(), loader.size()) >= kMaxPath)
    return Error{program + ": the path is too long for a replay; move the trace to a directory with a shorter one"};
  program.copy(header.program_file, kMaxPath - 1);
  loader.copy(header.interpreter_file, kMaxPath - 1);
  return {};
}

}  // namespace

Status open_kept_files(const TraceReader& reader, const Schedule& schedule, SessionHeader& header, HostCommand& command,
                       std::vector<UniqueFd>& files) {
  if (schedule.kept.empty()) return {};
  auto directory = open_trace_directory(reader.directory());
  if (!directory) return directory.error();
  for (const KeptInput& input : schedule.kept) {
    auto file = open_kept(directory->get(), input, reader.manifest());
    if (!file) return file.error();
    command.inherited.push_back({file->get(), &header.kept[input.number].descriptor});
    files.push_back(std::move(*file));
  }
  return {};
}

ProgramEnd recorded_end(const Manifest& manifest) {
  if (manifest.end) return *manifest.end;
  ProgramEnd killed;
  killed.signal = SIGKILL;
  return killed;
}

Status prepare_session(const TraceReader& reader, Slices slices, SharedSession& session) {
  if (Status s = session.set_tuning(reader.manifest().tuning); !s) return s;
  SessionHeader& header = session.header();
  if (Status s = point_to_packed(reader, header); !s) return s;
  ProgramEnd expected = recorded_end(reader.manifest());
  header.slices = static_cast<uint32_t>(slices);
  header.end_signal = static_cast<uint32_t>(expected.signal);
  header.end_status = static_cast<uint32_t>(expected.status);
  return {};
}

Result<ReplayOutcome> replay(const TraceReader& reader, const Schedule& schedule, const ReplayRequest& request) {
  auto session = SharedSession::create(Mode::kReplay);
  if (!session) return session.error();
  if (Status s = prepare_session(reader, request.slices, *session); !s) return s.error();
  ReplayOutcome outcome;
  outcome.expected = recorded_end(reader.manifest());
  session->header().references = !request.references.empty();

  std::unique_ptr<References> references;
  if (!request.references.empty()) {
    auto created = References::create(request, *session);
    if (!created) return created.error();
    references = std::move(*created);
  }

  SignalRelay relay;
  HostCommand command{request.host, Mode::kReplay, session->fd(), schedule.file.get(), reader.manifest().cwd};
  std::vector<UniqueFd> kept;
  if (Status s = open_kept_files(reader, schedule, header, command, kept); !s) return s.error();
  auto start = Clock::now();
  auto host = HostProcess::start(command);
  if (!host) return host.error();
  relay.set_target(host->pid());
  auto watched = watch(*host, *session, request.timeout_seconds, references.get(),
                       ProgressTeller(request, reader.manifest(), *session));
  if (!watched) {
    host->stop();
    return Error{watched.error().text + "; the replay was stopped"};
  }
  std::optional<HostExit> exit = *watched;
  outcome.timed_out = !exit;
  // Before the program is stopped: what it was doing is what the user wants to know.
  outcome.slots = session->summaries();
  outcome.end = (exit ? *exit : host->stop()).to_end();
  outcome.end.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  outcome.interrupted = SignalRelay::interrupted();
  outcome.report = session->report();
  if (references) {
    if (Status s = references->finish(ends_as_recorded(outcome, reader.manifest())); !s) return s.error();
    outcome.references = references->written();
  }
  return outcome;
}

}  // namespace ana
