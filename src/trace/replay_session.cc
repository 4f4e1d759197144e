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

// A file for every reference of a replay, which is removed again unless it is kept.
class ReferenceFile {
 public:
  static Result<std::unique_ptr<ReferenceFile>> create(const std::string& path) {
    auto writer = ReferenceWriter::create(path);
    if (!writer) return writer.error();
    return std::unique_ptr<ReferenceFile>(new ReferenceFile(path, std::move(*writer)));
  }
  ~ReferenceFile() {
    struct stat info;
    if (!kept_ && ::stat(path_.c_str(), &info) == 0 && S_ISREG(info.st_mode)) ::unlink(path_.c_str());
  }
  ToldSink& sink() { return sink_; }
  Status keep() {
    Status s = writer_.finish();
    kept_ = s.ok();
    return s;
  }
  uint64_t written() const { return writer_.references(); }

 private:
  ReferenceFile(std::string path, ReferenceWriter writer)
      : path_(std::move(path)), writer_(std::move(writer)), sink_(writer_) {}

  std::string path_;
  ReferenceWriter writer_;
  ReferenceFileSink sink_;
  bool kept_ = false;
};

// Hands what the program tells to who wants it.
class References {
 public:
  References(SharedSession& session, ToldSink& sink, const std::vector<KnownOperand>& operands)
      : merge_(session, sink, operands), sink_(sink) {}

  // True if there was something to take.
  Result<bool> pass() {
    auto taken = merge_.pass();
    if (!taken) return taken.error();
    return *taken != 0;
  }
  uint32_t seen_doorbell() const { return merge_.seen_doorbell(); }
  bool has_enough() const { return sink_.has_enough(); }

  // The program has ended.
  Status finish() {
    for (;;) {
      auto more = pass();
      if (!more) return more.error();
      if (!*more) break;
    }
    return merge_.check_complete();
  }

 private:
  ReferenceMerge merge_;
  const ToldSink& sink_;
};

// The host's end, or nothing if it has to be stopped, for lack of progress or because enough has been told. `references`
// may be null.
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
      if (references->has_enough()) return std::optional<HostExit>();
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

}  // namespace

bool ReplayOutcome::as_recorded(const Manifest& manifest) const {
  return faithful() || (report && manifest.end && manifest.end->report && manifest.end->report->kind == report->kind);
}

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

Result<std::vector<UniqueFd>> open_kept_files(const TraceReader& reader, const Schedule& schedule) {
  std::vector<UniqueFd> files;
  if (schedule.kept.empty()) return files;
  const TraceReader& keeper = reader.first();  // a forked child keeps none
  auto directory = open_trace_directory(keeper.directory());
  if (!directory) return directory.error();
  for (const KeptInput& input : schedule.kept) {
    auto file = open_kept(directory->get(), input, keeper.manifest());
    if (!file) return file.error();
    files.push_back(std::move(*file));
  }
  return files;
}

void hand_over(const std::vector<UniqueFd>& files, const Schedule& schedule, SessionHeader& header,
               HostCommand& command) {
  for (size_t i = 0; i < files.size(); i++)
    command.inherited.push_back({files[i].get(), &header.kept[schedule.kept[i].number].descriptor});
}

Result<Printed> open_printed(const TraceReader& reader) {
  if (reader.parent() != nullptr) return Printed{};
  auto directory = open_trace_directory(reader.directory());
  if (!directory) return directory.error();
  auto printed = read_printed(directory->get());
  if (!printed) return Error{reader.directory() + ": " + printed.error().text};
  return printed;
}

void hand_over(const Printed& printed, SessionHeader& header, HostCommand& command) {
  for (uint32_t i = 0; i < kChannels; i++) {
    if (printed.channel[i].valid())
      command.inherited.push_back({printed.channel[i].get(), &header.relay.channel[i].descriptor});
  }
}

namespace {

// A crash leaves the host no time for that.
void show_rest(const Printed& printed, const RelayControl& relay) {
  for (uint32_t i = 0; i < kChannels; i++) {
    char piece[65536];
    for (uint64_t at = relay.channel[i].bytes; at < printed.bytes[i];) {
      ssize_t n = ::pread(printed.channel[i].get(), piece, sizeof piece, static_cast<off_t>(at));
      if (n <= 0 || !write_all(i == 0 ? STDOUT_FILENO : STDERR_FILENO, piece, static_cast<size_t>(n))) break;
      at += static_cast<uint64_t>(n);
    }
  }
}

}  // namespace

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
  header.forks_before = reader.forks();
  header.end_signal = static_cast<uint32_t>(expected.signal);
  header.end_status = static_cast<uint32_t>(expected.status);
  for (RelayChannel& channel : header.relay.channel) channel.descriptor = kNoDescriptor;
  return {};
}

Result<ReplayOutcome> replay(const TraceReader& reader, const Schedule& schedule, const ReplayRequest& request) {
  auto session = SharedSession::create(Mode::kReplay);
  if (!session) return session.error();
  if (Status s = prepare_session(reader, request.slices, *session); !s) return s.error();
  ReplayOutcome outcome;
  outcome.expected = recorded_end(reader.manifest());
  bool tells = !request.references.empty() || request.sink;
  session->header().references = static_cast<uint32_t>(tells ? request.telling : Telling::kNothing);
  session->header().wrappers = request.wrappers.address;
  session->header().wrappers_bytes = request.wrappers.bytes;

  std::unique_ptr<ReferenceFile> file;
  if (!request.references.empty()) {
    auto created = ReferenceFile::create(request.references);
    if (!created) return created.error();
    file = std::move(*created);
  }
  std::unique_ptr<References> references;
  if (tells) references = std::make_unique<References>(*session, file ? file->sink() : *request.sink, schedule.operands);

  SignalRelay relay;
  HostCommand command{request.host, Mode::kReplay, session->fd(), schedule.file.get(), reader.manifest().cwd};
  command.silent = request.silent;
  auto kept = open_kept_files(reader, schedule);
  if (!kept) return kept.error();
  hand_over(*kept, schedule, session->header(), command);
  auto printed = open_printed(reader);
  if (!printed) return printed.error();
  hand_over(*printed, session->header(), command);
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
  outcome.had_enough = !exit && references && references->has_enough();
  outcome.timed_out = !exit && !outcome.had_enough;
  // Before the program is stopped: what it was doing is what the user wants to know.
  outcome.slots = session->summaries();
  outcome.end = (exit ? *exit : host->stop()).to_end();
  outcome.end.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  outcome.interrupted = SignalRelay::interrupted();
  outcome.report = session->report();
  if (!request.silent && outcome.as_recorded(reader.manifest())) show_rest(*printed, session->header().relay);
  if (references && outcome.as_recorded(reader.manifest())) {
    if (Status s = references->finish(); !s) return s.error();
    if (file) {
      if (Status s = file->keep(); !s) return s.error();
      outcome.references = file->written();
    }
  }
  return outcome;
}

}  // namespace ana
