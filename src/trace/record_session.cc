#include "trace/record_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "trace/elf_file.h"
#include "trace/ring_drain.h"
#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t kDoorbellMilliseconds = 5;
constexpr double kSecondsToEnd = 5;  // for a program that is asked to end
// What is lost at most when the recorder is killed; longer also means fewer, better compressed chunks.
constexpr auto kFlushInterval = std::chrono::milliseconds(200);

// What the program has inherited through us is its own to close: somebody may wait for the end of a pipe. Our own
// descriptors are not inherited by anybody, so those that would be are not ours; and we read nothing.
void let_inherited_go() {
  std::vector<int> theirs;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    int fd = ::atoi(entry.path().filename().c_str());
    int flags = fd > STDERR_FILENO ? ::fcntl(fd, F_GETFD) : -1;
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) theirs.push_back(fd);
  }
  for (int fd : theirs) ::close(fd);
  int nowhere = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  if (::fcntl(STDIN_FILENO, F_GETFD) >= 0) ::dup2(nowhere, STDIN_FILENO);
  if (nowhere != STDIN_FILENO) ::close(nowhere);
}

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

std::string utc_now() {
  time_t now = ::time(nullptr);
  tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  ::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Result<ProgramFile> identify_program(const std::string& path) {
  auto elf = ElfFile::open(path);
  if (!elf) return elf.error();
  std::error_code error;
  auto absolute = std::filesystem::canonical(path, error);
  if (error) return Error{path + ": " + error.message()};
  return ProgramFile{absolute.string(), elf->build_id(), elf->file_bytes()};
}

RecordSession::RecordSession(RecordRequest request, UniqueFd directory, StreamWriter writer, SharedSession session,
                             Manifest manifest)
    : request_(std::move(request)),
      directory_(std::move(directory)),
      writer_(std::move(writer)),
      session_(std::move(session)),
      manifest_(std::move(manifest)) {}

Result<RecordSession> RecordSession::create(const RecordRequest& request) {
  Manifest manifest;
  auto program = identify_program(request.program);
  if (!program) return program.error();
  manifest.program = *program;
  manifest.tool_version = kToolVersion;
  manifest.command = {request.program};
  manifest.command.insert(manifest.command.end(), request.arguments.begin(), request.arguments.end());
  std::error_code error;
  manifest.cwd = std::filesystem::current_path(error).string();
  manifest.machine = this_machine();
  manifest.started = utc_now();
  manifest.tuning = request.tuning;

  auto session = SharedSession::create(Mode::kRecord);
  if (!session) return session.error();
  if (Status s = session->set_tuning(request.tuning); !s) return s.error();
  session->header().records_forks = !request.children.empty() && session->header().algorithm == 0;

  auto directory = create_trace_directory(request.directory);
  if (!directory) return directory.error();
  auto abandon = [&](const Error& error) {
    remove_trace_directory(request.directory, directory->get());
    return Error{request.directory + ": " + error.text};
  };
  auto writer = StreamWriter::create(directory->get());
  if (!writer) return abandon(writer.error());
  if (Status s = write_manifest(directory->get(), manifest); !s) return abandon(s.error());
  return RecordSession(request, std::move(*directory), std::move(*writer), std::move(*session), std::move(manifest));
}

Result<Manifest> RecordSession::run() {
  SignalRelay relay;
  HostCommand command{request_.host, Mode::kRecord, session_.fd(), -1, "", manifest_.command};
  OutputRelay output_relay(session_, directory_.get());
  output_relay.hand_over(command);
  auto host = HostProcess::start(command);
  if (!host) return host.error();
  output_relay.handed_over();
  if (request_.runs_once) let_inherited_go();
  relay.set_target(host->pid());
  output_relay_ = &output_relay;
  auto exit = record_to_end(*host);
  output_relay.finish();
  output_relay_ = nullptr;
  has_printed_ = output_relay.problems().empty();
  if (session_.header().processes_created != 0)
    warnings_.insert(warnings_.end(), output_relay.problems().begin(), output_relay.problems().end());
  living_children_ = fork_recorders_.finish();
  if (!exit) return exit.error();
  return manifest_;
}

Result<HostExit> RecordSession::record_to_end(HostProcess& host) {
  KeptFiles kept(session_, directory_.get());
  auto start = Clock::now();
  started_ = true;
  auto exit = pump(host, kept);
  double wall = since(start);
  interrupted_ = SignalRelay::interrupted();
  if (!exit) return exit.error();
  if (!request_.only_failures || exit->wait_status != 0 || interrupted_ || timed_out_) kept.finish();
  manifest_.kept = kept.copies();
  warnings_ = kept.problems();
  if (Status s = finish(*exit, wall); !s) return s.error();
  return *exit;
}

namespace {

// A process that has executed another program since has a trace of that one, too; and ids come again.
std::string choose_trace(const std::string& directory, uint64_t process) {
  std::string path = fmt::format("{}/{}", directory, process), name = path;
  for (int n = 2; std::filesystem::exists(name); n++) name = fmt::format("{}-{}", path, n);
  return name;
}

ForkOrigin origin_of(SharedSession& session, const RecordRequest& parent) {
  std::filesystem::path directory = std::filesystem::absolute(parent.directory).lexically_normal();
  bool is_outside = std::filesystem::path(parent.children).lexically_normal().parent_path() == directory;
  ForkOrigin origin{is_outside ? "../.." : "../" + directory.filename().string(), session.header().forked_slot, {}};
  for (uint32_t i = 0; i < session.slots_used(); i++) origin.points.push_back(session.slot(i).forked);
  return origin;
}

// A process that executes another program at once may have the trace of that one made first.
Result<UniqueFd> create_child_directory(RecordRequest& request, uint64_t process) {
  constexpr int kTries = 100;
  for (int n = 1;; n++) {
    request.directory = choose_trace(request.children, process);
    auto directory = create_trace_directory(request.directory);
    if (directory || n == kTries || !std::filesystem::exists(request.directory)) return directory;
  }
}

}  // namespace

// Errors have nobody to be told to; what they leave is a trace without an end.
void RecordSession::record_forked(RecordSession& from, SharedSession session) {
  ForkOrigin origin = origin_of(session, from.request_);  // as it was before the child runs
  auto host = adopt_forked(session, from.session_.header());
  if (!host) return;
  RecordRequest request = from.request_;
  request.only_failures = false;
  request.timeout = 0;  // the first process's
  request.progress = {};
  Manifest manifest = from.manifest_;
  manifest.started = utc_now();
  manifest.forked = std::move(origin);
  auto directory = create_child_directory(request, session.header().process);
  auto writer = directory ? StreamWriter::create(directory->get()) : Result<StreamWriter>(directory.error());
  if (!writer || !write_manifest(directory->get(), manifest)) {
    host->stop();  // nobody empties its rings
    return;
  }
  for (uint32_t i = 0; i < manifest.forked->points.size(); i++)
    writer->begin_at(i, manifest.forked->points[i].last_count);
  RecordSession child(request, std::move(*directory), std::move(*writer), std::move(session), std::move(manifest));
  auto again = adopt_forked(child.session_, from.session_.header());
  if (!again) return;
  (void)child.record_to_end(*again);
  child.fork_recorders_.finish();
}

Result<HostExit> RecordSession::pump(HostProcess& host, KeptFiles& kept) {
  RingDrain drain(session_, writer_);
  auto begun = Clock::now(), flushed = begun;
  std::optional<HostExit> exit;
  for (;;) {
    // Asked before the pass: what a dead program has written is then in the rings, and the pass takes it.
    if (!exit) exit = host.poll();
    // Before the pass, too: it takes all that was logged until then.
    bool due = Clock::now() - flushed >= kFlushInterval;
    std::vector<SlotPosition> positions;
    if (due) positions = session_.positions();
    Status status = drain.pass();
    kept.serve(host.pid());  // after the look at the doorbell
    if (output_relay_) output_relay_->serve();
    fork_recorders_.serve(session_.header(), host.pid(),
                          [this](SharedSession session) { record_forked(*this, std::move(session)); });
    if (status.ok() && (exit || due)) {
      status = writer_.flush();
      if (status.ok() && !exit) status = writer_.put_positions(positions);
      flushed = Clock::now();
      if (!exit) tell_progress(positions, saved_bytes(kept), since(begun));
    }
    if (!status) {
      if (!exit) host.stop();
      return Error{fmt::format("{}: {}; the program was stopped, and the trace ends here", request_.directory,
                               status.error().text)};
    }
    if (exit) return *exit;
    if (is_full(kept)) {
      exit = host.stop();
      stopped_full_ = true;
      continue;
    }
    if (is_late(since(begun))) end_late(host, exit);
    session_.wait_for_doorbell(drain.seen_doorbell(), kDoorbellMilliseconds);
  }
}

bool RecordSession::is_late(double seconds) const {
  return request_.timeout != 0 && seconds >= request_.timeout + (timed_out_ ? kSecondsToEnd : 0);
}

void RecordSession::end_late(HostProcess& host, std::optional<HostExit>& exit) {
  if (timed_out_) exit = host.stop();
  else ::kill(host.pid(), SIGINT);
  timed_out_ = true;
}

void RecordSession::tell_progress(const std::vector<SlotPosition>& positions, uint64_t bytes, double seconds) const {
  if (!request_.progress) return;
  RecordProgress progress{0, 0, bytes, seconds};
  for (const SlotPosition& slot : positions) {
    SlotState state = static_cast<SlotState>(slot.state);
    progress.threads += state != SlotState::kUnused && state != SlotState::kEnded;
    progress.events += slot.count;
  }
  request_.progress(progress);
}

Status RecordSession::put_ends() {
  for (uint32_t i = 0; i < session_.slots_used(); i++) {
    SlotShared& slot = session_.slot(i);
    SlotState state = static_cast<SlotState>(slot.status.state);
    const StreamFollower* follower = writer_.follower(i);
    bool whole = follower == nullptr || follower->between_records();
    if (whole && (state == SlotState::kEnded || state == SlotState::kUnused)) continue;
    uint64_t site = 0;
    if (state == SlotState::kWaiting) site = slot.status.wait_site;
    if (state == SlotState::kRunning && slot.status.checked_count == slot.count) site = slot.status.checked_site;
    if (Status s = writer_.put_end(i, slot.count, {site, slot.status.state, 0}); !s) return s;
  }
  return {};
}

// The program's own report, or why it was stopped.
std::optional<Report> RecordSession::final_report() {
  std::optional<Report> report = session_.report();
  if (!report && stopped_full_) {
    report = Report{};
    report->kind = static_cast<uint32_t>(ReportKind::kSizeReached);
    report->a = request_.max_bytes;
  } else if (!report && timed_out_) {
    report = Report{};
    report->kind = static_cast<uint32_t>(ReportKind::kTimeReached);
    report->a = request_.timeout;
  }
  return report;
}

Status RecordSession::finish(const HostExit& exit, double wall_seconds) {
  Status ended = put_ends();
  if (!ended) return Error{request_.directory + ": " + ended.error().text};
  ProgramEnd end = exit.to_end();
  end.wall_seconds = wall_seconds;
  end.threads_created = session_.header().threads_created;
  end.processes_created = session_.header().processes_created;
  end.executed = session_.header().executed != 0;
  end.report = final_report();
  if (session_.header().named_mappings != 0 || (session_.header().shared_mappings != 0 && end.processes_created != 0))
    warnings_.push_back("it has memory that other processes may share (MAP_SHARED). What they write there is not recorded, so "
                        "that a replay may differ");
  manifest_.state = end.signal != 0 ? TraceState::kProgramDied : TraceState::kComplete;
  manifest_.end = end;
  manifest_.totals = writer_.totals();
  manifest_.slots = session_.summaries();
  for (SlotSummary& slot : manifest_.slots) slot.raw_bytes = writer_.raw_bytes(slot.slot);
  if (Status s = write_manifest(directory_.get(), manifest_); !s)
    return Error{request_.directory + ": " + s.error().text};
  return {};
}

}  // namespace ana
