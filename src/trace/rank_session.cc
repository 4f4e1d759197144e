#include "trace/rank_session.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "trace/contents_file.h"
#include "trace/contents_window.h"
#include "trace/host_process.h"
#include "trace/rank_events.h"
#include "trace/record_session.h"
#include "trace/trace_directory.h"
#include "trace/trace_store.h"
#include "trace/traced_channels.h"
#include "trace/version.h"

namespace ana {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPollMilliseconds = 200;

void copy_text(char* to, size_t room, const std::string& text) {
  size_t n = std::min(text.size(), room - 1);
  memcpy(to, text.data(), n);
  to[n] = 0;
}

// The process, and both ends of what it shares with the tool.
class RankProcess {
 public:
  static Result<RankProcess> start(const RankRequest& request, int schedule, int window = -1);
  ~RankProcess() {
    if (page_ != nullptr) ::munmap(page_, sizeof(RankPage));
  }
  RankProcess(RankProcess&& other) noexcept
      : pid_(other.pid_), exit_fd_(std::move(other.exit_fd_)), socket_(std::move(other.socket_)), page_(other.page_) {
    other.page_ = nullptr;
  }

  pid_t pid() const { return pid_; }
  int socket() const { return socket_.get(); }
  const RankPage& page() const { return *page_; }
  uint64_t progress() const { return __atomic_load_n(&page_->progress, __ATOMIC_RELAXED); }
  // True: there is a packet. False: time is up, or the process has ended.
  bool wait_for_packet() {
    pollfd fds[2] = {{socket_.get(), POLLIN, 0}, {exit_fd_.get(), POLLIN, 0}};
    return ::poll(fds, 2, kPollMilliseconds) > 0 && (fds[0].revents & POLLIN) != 0;
  }
  std::optional<HostExit> poll_exit() {
    int status;
    rusage usage;
    if (::wait4(pid_, &status, WNOHANG, &usage) != pid_) return std::nullopt;
    auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return HostExit{status, seconds(usage.ru_utime), seconds(usage.ru_stime), static_cast<uint64_t>(usage.ru_maxrss)};
  }

 private:
  RankProcess(pid_t pid, UniqueFd exit_fd, UniqueFd socket, RankPage* page)
      : pid_(pid), exit_fd_(std::move(exit_fd)), socket_(std::move(socket)), page_(page) {}
  pid_t pid_;
  UniqueFd exit_fd_, socket_;
  RankPage* page_;
};

// Ends as the program does.
[[noreturn]] void run_threads(const RankThreads& threads) {
  // A launcher that gives the job up kills the tools of its ranks, with their groups. What the threads have done until
  // then is to be saved all the same: this process takes it as a wish to end the program.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setenv(kOutsideVariable, threads.outside.c_str(), 1);
  // MPI's addresses as well shall be the same in each run, since the program sees some. Nothing depends on it.
  if (::personality(ADDR_NO_RANDOMIZE) < 0) errno = 0;
  ProgramEnd end = threads.run();
  if (end.signal != 0) die_of(end.signal);
  ::_exit(end.status);
}

void execute(const std::string& file, const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(file.c_str(), words.data());
}

// What the program finds in its environment.
void set_environment(const RankRequest& request, int socket, int page, int schedule, int window) {
  for (int fd : {socket, page, schedule, window}) {
    if (fd >= 0) ::fcntl(fd, F_SETFD, 0);
  }
  ::setenv(kRankLinkVariable, fmt::format("{} {} {} {}", socket, page, schedule, window).c_str(), 1);
  // A rank that is started without a launcher: Open MPI would start a daemon for it.
  if (window >= 0) ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
  const char* others = ::getenv("LD_PRELOAD");
  ::setenv("LD_PRELOAD", (request.library + (others != nullptr && *others != 0 ? std::string(":") + others : "")).c_str(), 1);
  if (!request.directory.empty() && ::chdir(request.directory.c_str()) != 0) {
    // The directory of the recording is gone: the launcher's will do.
  }
}

[[noreturn]] void run_child(const RankRequest& request, int socket, int page, int schedule, int window) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_environment(request, socket, page, schedule, window);
  if (request.threads.run) run_threads(request.threads);
  SignalRelay::hand_on_ignored();
  const std::string& file = request.file.empty() ? request.command[0] : request.file;
  execute(file, request.command);
  fmt::print(stderr, "anaphora: cannot run {}: {}\n", file, strerror(errno));
  ::_exit(126);
}

Result<RankProcess> RankProcess::start(const RankRequest& request, int schedule, int window) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return system_error("cannot make a socket pair", errno);
  UniqueFd mine(pair[0]), theirs(pair[1]);
  UniqueFd shared(::memfd_create(kRankPageName, MFD_CLOEXEC));
  if (!shared.valid() || ::ftruncate(shared.get(), sizeof(RankPage)) != 0)
    return system_error("cannot make shared memory", errno);
  void* page = ::mmap(nullptr, sizeof(RankPage), PROT_READ | PROT_WRITE, MAP_SHARED, shared.get(), 0);
  if (page == MAP_FAILED) return system_error("cannot map shared memory", errno);
  pid_t pid = ::fork();
  if (pid < 0) return system_error("cannot fork", errno);
  if (pid == 0) run_child(request, theirs.get(), shared.get(), schedule, window);
  UniqueFd exit_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return RankProcess(pid, std::move(exit_fd), std::move(mine), static_cast<RankPage*>(page));
}

// Serves the process until it has ended.
template <class OnHello, class OnReport, class OnMore, class OnIdle>
HostExit serve(RankProcess& process, OnHello on_hello, OnReport on_report, OnMore on_more, OnIdle on_idle) {
  std::vector<uint8_t> packet(std::max({sizeof(RankHello), sizeof(RankReport)}) + 1);
  for (;;) {
    bool packet_waits = process.wait_for_packet();
    if (!packet_waits) {
      if (auto exit = process.poll_exit()) return *exit;
      on_idle();
      continue;
    }
    ssize_t n = ::recv(process.socket(), packet.data(), packet.size(), 0);
    if (n == sizeof(RankHello)) {
      RankHello hello;
      memcpy(&hello, packet.data(), sizeof hello);
      hello.directory[sizeof hello.directory - 1] = 0;
      RankReply reply = on_hello(hello);
      ::send(process.socket(), &reply, sizeof reply, MSG_NOSIGNAL);
    } else if (n == sizeof(RankReport)) {
      RankReport report;
      memcpy(&report, packet.data(), sizeof report);
      report.call[sizeof report.call - 1] = report.module[sizeof report.module - 1] = 0;
      report.text[sizeof report.text - 1] = 0;
      on_report(report);
      ::send(process.socket(), "", 1, MSG_NOSIGNAL);
    } else if (n == sizeof(RankMore)) {
      RankMore more;
      memcpy(&more, packet.data(), sizeof more);
      RankPiece piece = on_more(more);
      ::send(process.socket(), &piece, sizeof piece, MSG_NOSIGNAL);
    } else if (n <= 0) {
      // The program has closed its end, as programs that close all descriptors do; only its end is left to wait for.
      if (auto exit = process.poll_exit()) return *exit;
      ::usleep(1000);
    }
  }
}

uint64_t new_id() {
  uint64_t id = 0;
  if (::getrandom(&id, sizeof id, 0) != sizeof id) id = static_cast<uint64_t>(::getpid());
  return id | 1;
}

// What all ranks are told, once the directory is there.
class Recording {
 public:
  Recording(const RankRequest& request, const RankOptions& options, const MakeTrace& make)
      : request_(request), options_(options), make_(make) {}

  RankReply greet(const RankHello& hello) {
    RankReply reply{};
    if (Status s = enter(hello); !s) {
      copy_text(reply.text, sizeof reply.text, s.error().text);
      return reply;
    }
    reply.ok = 1;
    reply.mode = static_cast<uint32_t>(trace_.options.mode);
    reply.full_check = options_.full_check;
    reply.chaos = options_.chaos;
    reply.race_graph = options_.race_graph;
    reply.racing_after = options_.racing_after;
    reply.id = trace_.id;
    reply.contents = options_.contents;
    copy_text(reply.directory, sizeof reply.directory, where_);
    return reply;
  }

  // While the rank runs.
  void drain() {
    if (!contents_ || !drained_.ok()) return;
    drained_ = contents_->drain();
  }

  bool entered() const { return directory_.valid(); }
  const std::string& where() const { return where_; }
  uint32_t rank() const { return trace_.rank; }

  Status finish(const ProgramEnd& end) {
    if (!entered()) return request_.threads.run ? remove_trace(request_.threads.directory) : Status{};
    if (contents_ && drained_.ok()) drained_ = contents_->finish(directory_.get());
    if (!drained_) return Error{where_ + ": " + contents_file_name(trace_.rank) + ": " + drained_.error().text};
    if (Status s = pack_rank(directory_.get(), trace_.rank, end); !s) return Error{where_ + ": " + s.error().text};
    if (trace_.rank != 0) return {};
    manifest_.end = end;
    manifest_.state = end.signal != 0 ? TraceState::kProgramDied : TraceState::kComplete;
    return write_mpi_manifest(directory_.get(), manifest_);
  }

 private:
  Status enter(const RankHello& hello) {
    if (entered()) return Error{"the program calls MPI_Init twice"};
    if (hello.version != kRankVersion) return Error{"the library and the tool are of different versions"};
    auto program = identify_command(request_.command[0]);
    if (!program) return program.error();
    trace_.rank = hello.rank;
    trace_.ranks = hello.ranks;
    trace_.mpi = request_.mpi;
    trace_.options = options_;
    trace_.command = request_.command;
    std::error_code error;
    trace_.cwd = std::filesystem::current_path(error).string();
    trace_.program = *program;
    if (hello.rank == 0) {
      auto made = make_(hello.ranks);
      if (!made) return made.error();
      where_ = std::filesystem::absolute(*made, error).string();
      trace_.id = new_id();
    } else {
      where_ = hello.directory;
      trace_.id = hello.id;
    }
    if (where_.size() + 32 > kMaxRankPath) return Error{"the path of the recording is too long: " + where_};
    auto directory = open_trace_directory(where_);
    if (!directory) {
      return Error{directory.error().text + "; all ranks must see the directory of the recording, so choose one that "
                                            "all machines share with -o"};
    }
    if (hello.rank == 0) {
      manifest_ = {TraceState::kRecording, kToolVersion, trace_.command, trace_.cwd,  *program,         this_machine(),
                   utc_now(),              hello.ranks,  request_.mpi,   trace_.id, trace_.options, std::nullopt};
      if (Status s = write_mpi_manifest(directory->get(), manifest_); !s) return s;
    }
    if (Status s = create_live_rank(directory->get(), trace_); !s) return Error{where_ + ": " + s.error().text};
    if (Status s = move_threads(); !s) return s;
    if (options_.contents) {
      auto contents = ContentsWriter::create(directory->get(), trace_.rank, trace_.id);
      if (!contents) return Error{where_ + ": " + contents.error().text};
      contents_.emplace(std::move(*contents));
    }
    directory_ = std::move(*directory);
    return {};
  }

  // Its session goes on writing there.
  Status move_threads() {
    if (!request_.threads.run) return {};
    std::string to = threads_path(where_, trace_.rank);
    if (::rename(request_.threads.directory.c_str(), to.c_str()) == 0) return {};
    return system_error(fmt::format("cannot move {} to {}", request_.threads.directory, to), errno);
  }

  const RankRequest& request_;
  RankOptions options_;
  const MakeTrace& make_;
  RankTrace trace_;
  MpiManifest manifest_;
  std::string where_;
  UniqueFd directory_;
  std::optional<ContentsWriter> contents_;
  Status drained_;  // of the contents
};

}  // namespace

Result<ProgramFile> identify_command(const std::string& path) {
  auto program = identify_program(path);
  if (program) return program;
  // A script: what it holds is what it is.
  std::error_code error;
  auto absolute = std::filesystem::canonical(path, error);
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (error || !fd.valid() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return program;
  std::string contents(static_cast<size_t>(info.st_size), 0);
  ssize_t n = ::pread(fd.get(), contents.data(), contents.size(), 0);
  if (n < 2 || contents[0] != '#' || contents[1] != '!') return program;
  return ProgramFile{absolute.string(), fmt::format("xxh64:{:016x}", XXH64(contents.data(), static_cast<size_t>(n), 0)),
                     static_cast<uint64_t>(info.st_size)};
}

Result<RankOutcome> record_rank(const RankRequest& request, const RankOptions& options, const MakeTrace& make_trace,
                                const ShowReport& show) {
  SignalRelay relay;
  auto start = Clock::now();
  auto process = RankProcess::start(request, -1);
  if (!process) return process.error();
  relay.set_target(process->pid());
  Recording recording(request, options, make_trace);
  HostExit exit = serve(
      *process, [&](const RankHello& hello) { return recording.greet(hello); },
      show, [](const RankMore&) { return RankPiece{}; },
      [&] { recording.drain(); });
  RankOutcome outcome;
  outcome.end = exit.to_end();
  outcome.end.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  outcome.entered = recording.entered();
  outcome.trace = recording.where();
  outcome.rank = recording.rank();
  if (Status s = recording.finish(outcome.end); !s) return s.error();
  return outcome;
}

namespace {

struct Collation {
  bool opened = false;  // a rank looked for races
  std::vector<RankRacing> racing;
  std::vector<RankLimit> limits;
};

// Of the messages from `sender`, what the receiver's trace says.
void collate_stream(const RankStream& stream, uint32_t sender, int32_t receiver, Collation& out) {
  const uint8_t* end = stream.bytes.data() + stream.bytes.size();
  TracedChannels channels;
  RankDecoder decoder;
  RankEvent e;
  for (const uint8_t* at = stream.bytes.data(); at < end;) {
    at = decoder.get(at, end, e);
    if (at == nullptr) break;
    if (e.kind == EventKind::kReceived && (e.value == 0 || e.value == sender + 1)) {
      int32_t which = e.value == 0 ? kAllTags : static_cast<int32_t>(e.tag);
      out.limits.push_back({e.communicator, e.value == 0 ? 0 : e.index, receiver, which});
    }
    if (e.kind != EventKind::kTraced) continue;
    const TracedChannel* channel = channels.of(e);
    if (channel == nullptr) break;  // damaged; its own rank says so
    if (channel->source != static_cast<int32_t>(sender)) continue;
    out.racing.push_back({channel->communicator, channel->index, receiver, channel->tag});
  }
}

// The paper's collation: a racing message is traced where it is received, and needed where it is sent.
Collation collate(int directory, uint32_t ranks, uint32_t sender) {
  Collation out;
  for (uint32_t i = 0; i < ranks; i++) {
    auto rank = read_rank(directory, i);
    if (!rank) continue;  // a rank without a trace says so itself
    out.opened = out.opened || rank->counts.opened > 0;
    for (const RankStream& stream : rank->streams) {
      if (stream.stream < kMaxStreams) collate_stream(stream, sender, static_cast<int32_t>(i), out);
    }
  }
  // By their places in their channels.
  std::sort(out.racing.begin(), out.racing.end(),
            [](const RankRacing& a, const RankRacing& b) { return a.index < b.index; });
  return out;
}

bool write_at(int fd, const void* bytes, size_t size, uint64_t offset) {
  return ::pwrite(fd, bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

Status fill_schedule(int fd, const RankTrace& trace, const Collation& collated) {
  RankScheduleHeader header{};
  header.magic = kLiveMagic;
  uint64_t offset = sizeof header;
  bool fine = true;
  for (const RankStream& s : trace.streams) {
    if (s.stream >= kMaxStreams) continue;
    if (auto at = find_damage(s)) return Error{fmt::format("its stream {} is damaged at byte {}", s.stream, *at)};
    header.stream[header.streams++] = {s.stream, s.inside ? 1u : 0u, offset, s.bytes.size(), s.calls};
    fine = fine && write_at(fd, s.bytes.data(), s.bytes.size(), offset);
    offset += s.bytes.size();
  }
  offset = (offset + 7) & ~uint64_t{7};
  header.racing = static_cast<uint32_t>(collated.racing.size());
  header.racing_offset = offset;
  size_t bytes = collated.racing.size() * sizeof(RankRacing);
  fine = fine && write_at(fd, collated.racing.data(), bytes, offset);
  header.limits = collated.limits.size();
  header.limits_offset = offset += bytes;
  fine = fine && write_at(fd, collated.limits.data(), collated.limits.size() * sizeof(RankLimit), offset);
  fine = fine && write_at(fd, &header, sizeof header, 0);
  return fine ? Status{} : system_error("cannot write the schedule", errno);
}

struct Prepared {
  const RankRequest& request;
  const std::string& trace;
  std::optional<uint32_t> alone;  // this rank
  int schedule;
  ContentsWindow* window;  // null: the rank is not alone
};

Status prepare_contents(int directory, const RankTrace& rank, const Prepared& to, RankReply& reply) {
  if (!rank.options.contents) {
    return Error{fmt::format("{} has no contents of messages, so a rank cannot be replayed without the others; record "
                             "with --contents",
                             to.trace)};
  }
  auto contents = ContentsReader::open(directory, rank.rank);
  if (!contents) return Error{to.trace + ": " + contents.error().text};
  if (contents->id() != rank.id)
    return Error{fmt::format("{}: the contents of rank {} are from another recording", to.trace, rank.rank)};
  reply.alone = 1;
  reply.finalized = contents->finalized();
  reply.rank = rank.rank;
  reply.ranks = rank.ranks;
  to.window->show(std::move(*contents));
  return {};
}

Status prepare(const RankHello& hello, const Prepared& to, RankReply& reply) {
  const std::string& trace = to.trace;
  bool alone = to.window != nullptr;
  auto directory = open_trace_directory(trace);
  if (!directory) return directory.error();
  auto manifest = read_mpi_manifest(directory->get());
  if (!manifest) return Error{trace + ": " + manifest.error().text};
  if (!alone && manifest->ranks != hello.ranks) {
    return Error{fmt::format("{} was recorded with {} ranks, and this job has {}: start it with {}", trace,
                             manifest->ranks, hello.ranks,
                             hello.ranks == 1 ? fmt::format("the launcher of its MPI ({}) and {} ranks", manifest->mpi,
                                                            manifest->ranks)
                                              : fmt::format("-n {}", manifest->ranks))};
  }
  if (manifest->mpi != to.request.mpi)
    return Error{fmt::format("{} was recorded with {}, and this job uses {}", trace, manifest->mpi, to.request.mpi)};
  uint32_t which = alone ? *to.alone : hello.rank;
  auto rank = read_rank(directory->get(), which);
  if (!rank) return Error{trace + ": " + rank.error().text};
  if (rank->id != manifest->id)
    return Error{fmt::format("{}: the trace of rank {} is from another recording", trace, which)};
  if (alone) {
    if (Status s = prepare_contents(directory->get(), *rank, to, reply); !s) return s;
  }
  if (!to.request.threads.problem.empty()) return Error{to.request.threads.problem};
  Collation collated = alone ? Collation{} : collate(directory->get(), hello.ranks, hello.rank);
  if (Status s = fill_schedule(to.schedule, *rank, collated); !s)
    return Error{fmt::format("{}: {}: {}", trace, rank_file_name(which), s.error().text)};
  RankMode mode = rank->options.mode;
  if (mode == RankMode::kAuto) mode = collated.opened ? RankMode::kRacing : RankMode::kWildcard;
  reply.mode = static_cast<uint32_t>(mode);
  reply.full_check = rank->options.full_check;
  reply.finished = rank->finished;
  reply.contents = rank->options.contents;
  reply.id = rank->id;
  copy_text(reply.directory, sizeof reply.directory, trace);
  return {};
}

}  // namespace

Result<DebuggedRank> prepare_debugged_rank(const RankRequest& request, const std::string& trace, uint32_t rank) {
  DebuggedRank made{UniqueFd(::memfd_create("anaphora-schedule", MFD_CLOEXEC)), {},
                    UniqueFd(::memfd_create(kRankPageName, MFD_CLOEXEC))};
  if (!made.schedule.valid() || !made.page.valid() || ::ftruncate(made.page.get(), sizeof(RankPage)) != 0)
    return system_error("cannot make shared memory", errno);
  auto window = ContentsWindow::create();
  if (!window) return window.error();
  RankReply reply{};
  if (Status s = prepare(RankHello{}, {request, trace, rank, made.schedule.get(), &*window}, reply); !s) return s.error();
  auto whole = window->whole();
  if (!whole) return whole.error();
  made.window = std::move(*whole);
  reply.ok = reply.whole = 1;
  struct stat info;
  if (::fstat(made.schedule.get(), &info) != 0) return system_error("cannot read the schedule", errno);
  auto offset = static_cast<uint64_t>(info.st_size);
  if (!write_at(made.schedule.get(), &reply, sizeof reply, offset) ||
      !write_at(made.schedule.get(), &offset, sizeof offset, offsetof(RankScheduleHeader, reply_offset)))
    return system_error("cannot write the schedule", errno);
  return made;
}

void become_debugged_rank(const RankRequest& request, const DebuggedRank& rank) {
  set_environment(request, -1, rank.page.get(), rank.schedule.get(), rank.window.get());
  // What MPI has between processes of a machine, copies of this one would share. It has nobody to talk to.
  ::setenv("OMPI_MCA_btl", "self", 1);
  ::setenv("UCX_TLS", "self", 1);
  // A crash is the debugger's business, and not one of MPI's handlers.
  ::setenv("OMPI_MCA_opal_signal", "", 1);
  ::setenv("UCX_HANDLE_ERRORS", "none", 1);
  execute(request.file.empty() ? request.command[0] : request.file, request.command);
}

Result<RankOutcome> replay_rank(const RankRequest& request, const std::string& trace, const RankReplayOptions& options,
                                const ShowReport& show) {
  UniqueFd schedule(::memfd_create("anaphora-schedule", MFD_CLOEXEC));
  if (!schedule.valid()) return system_error("cannot make shared memory", errno);
  std::optional<ContentsWindow> window;
  if (options.rank) {
    auto made = ContentsWindow::create();
    if (!made) return made.error();
    window.emplace(std::move(*made));
  }
  SignalRelay relay;
  auto process = RankProcess::start(request, schedule.get(), window ? window->fd() : -1);
  if (!process) return process.error();
  relay.set_target(process->pid());
  RankOutcome outcome;
  uint64_t progress = 0;
  auto moved = Clock::now();
  auto greet = [&](const RankHello& hello) {
    RankReply reply{};
    outcome.entered = true;
    outcome.rank = options.rank.value_or(hello.rank);
    Status s = prepare(hello, {request, trace, options.rank, schedule.get(), window ? &*window : nullptr}, reply);
    reply.timeout_seconds = options.timeout_seconds;
    reply.permits = options.control_messages;
    reply.ok = s.ok() ? 1 : 0;
    if (!s) copy_text(reply.text, sizeof reply.text, s.error().text);
    return reply;
  };
  auto report = [&](const RankReport& what) {
    outcome.report = what;
    show(what);
  };
  auto idle = [&] {
    uint64_t now = process->progress();
    if (now != progress || options.timeout_seconds == 0 || !outcome.entered) {
      progress = now;
      moved = Clock::now();
    } else if (Clock::now() - moved > std::chrono::seconds(options.timeout_seconds) && !outcome.timed_out) {
      outcome.timed_out = true;
      ::kill(process->pid(), SIGKILL);
    }
  };
  auto more = [&](const RankMore& what) { return window ? window->next(what) : RankPiece{}; };
  outcome.end = serve(*process, greet, report, more, idle).to_end();
  outcome.trace = trace;
  outcome.held = process->page().held;
  outcome.hurried = process->page().hurried;
  return outcome;
}

}  // namespace ana
