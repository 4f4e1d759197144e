#include "trace/host_process.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <filesystem>

#include "algorithms/catalogue.h"

namespace ana {

namespace {

// The program's own descriptors shall begin at 3, so ours go where it is not likely to come by.
constexpr int kFirstHighFd = 900;

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; }

// Only async-signal-safe calls below: between fork and exec.
int raise_fd(int fd) {
  int high = ::fcntl(fd, F_DUPFD, kFirstHighFd);
  // A low limit on descriptors.
  return high >= 0 ? high : ::fcntl(fd, F_DUPFD, 64);
}

struct PreparedCommand {
  int attached;  // to be read from before anything else, or -1
  const char* directory;
  char** arguments;
  char* session_text;
  char* schedule_text;
};
constexpr size_t kFdTextBytes = 16;

void put_number(char* to, int value) {
  char digits[kFdTextBytes];
  int n = 0;
  do {
    digits[n++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (n > 0) *to++ = digits[--n];
  *to = 0;
}

void lead_nowhere() {
  int nowhere = ::open("/dev/null", O_RDWR);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  if (nowhere > STDERR_FILENO) ::close(nowhere);
}

std::atomic<pid_t> relay_target{0};
std::atomic<int> relay_ender{0};    // the last signal that asked for the end
std::atomic<int> relay_pending{0};  // one that came when there was no target yet
int relay_depth = 0;
constexpr int kRelaySignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};
struct sigaction relay_saved[std::size(kRelaySignals)];

bool was_ignored(int signal) {
  for (size_t i = 0; i < std::size(kRelaySignals); i++)
    if (kRelaySignals[i] == signal) return relay_saved[i].sa_handler == SIG_IGN;
  return false;
}

void relay(int signal, siginfo_t* info, void*) {
  if (signal == SIGCHLD) return;
  int saved_errno = errno;
  bool is_end = signal != SIGUSR1 && signal != SIGUSR2 && !was_ignored(signal);
  if (is_end) relay_ender.store(signal);
  pid_t target = relay_target.load();
  // The terminal's ^C and ^\ reach the whole process group already, if the program is there.
  bool from_terminal = (signal == SIGINT || signal == SIGQUIT) && info->si_code > 0;
  if (target > 0 && !from_terminal) ::kill(target, signal);
  if (target == 0) relay_pending.store(signal);
  errno = saved_errno;
}

[[noreturn]] void run_host(const HostCommand& command, const PreparedCommand& prepared, int error_pipe, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  SignalRelay::hand_on_ignored();
  if (prepared.attached >= 0) {
    char byte;
    ::setpgid(0, 0);
    if (::read(prepared.attached, &byte, 1) != 1) ::_exit(127);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }
  if (command.silent) lead_nowhere();
  int session = raise_fd(command.session_fd);
  int schedule = command.schedule_fd >= 0 ? raise_fd(command.schedule_fd) : -1;
  for (const HostCommand::Inherited& one : command.inherited) {
    int high = raise_fd(one.fd);
    if (high < 0 && one.needed) session = -1;
    if (high >= 0) *one.number = static_cast<uint32_t>(high);
  }
  if (session >= 0 && (schedule >= 0 || command.schedule_fd < 0)) {
    put_number(prepared.session_text, session);
    if (schedule >= 0) put_number(prepared.schedule_text, schedule);
    // The recorded directory matters only for relative paths of libraries; the host reports those that it misses.
    if (prepared.directory[0] != 0 && ::chdir(prepared.directory) != 0) errno = 0;
    ::execv(command.host.c_str(), prepared.arguments);
  }
  int error = errno;
  if (::write(error_pipe, &error, sizeof error) < 0) ::_exit(126);
  ::_exit(127);
}

}  // namespace

Result<SharedSession> SharedSession::create(Mode mode) {
  UniqueFd fd(::memfd_create("anaphora-session", MFD_CLOEXEC));
  if (!fd.valid() || ::ftruncate(fd.get(), static_cast<off_t>(kSessionBytes)) != 0) {
    return system_error("cannot make the shared memory of the session", errno);
  }
  void* base = ::mmap(nullptr, kSessionBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd.get(), 0);
  if (base == MAP_FAILED) return system_error("cannot map the shared memory of the session", errno);
  SharedSession session(std::move(fd), static_cast<uint8_t*>(base));
  session.header().magic = kSessionMagic;
  session.header().version = kStreamVersion;
  session.header().mode = static_cast<uint32_t>(mode);
  return session;
}

Result<SharedSession> SharedSession::adopt(UniqueFd fd) {
  struct stat info;
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0 || info.st_size != static_cast<off_t>(kSessionBytes))
    return system_error("cannot open the session of a child", errno);
  void* base = ::mmap(nullptr, kSessionBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd.get(), 0);
  if (base == MAP_FAILED) return system_error("cannot map the session of a child", errno);
  SharedSession session(std::move(fd), static_cast<uint8_t*>(base));
  if (session.header().magic != kSessionMagic || session.header().version != kStreamVersion)
    return Error{"what a child offers is not a session"};
  return session;
}

Status SharedSession::set_tuning(const RecordTuning& tuning) {
  const algorithms::Entry* algorithm = algorithms::find_algorithm(tuning.algorithm.c_str());
  if (algorithm == nullptr) return Error{"there is no algorithm " + tuning.algorithm};
  bool owns = algorithm->name == algorithms::Name::ownership;
  header().tenure_ns = tuning.tenure_ns;
  header().first_epoch = tuning.first_epoch;
  header().yield_at_checks = tuning.yield_at_checks;
  header().full_check = tuning.full_check;
  header().no_patch = tuning.no_patch;
  header().chaos = tuning.chaos;
  header().algorithm = owns ? 0 : static_cast<uint32_t>(algorithm->name) + 1;
  header().granularity_shift = static_cast<uint32_t>(std::countr_zero(tuning.granularity));
  header().max_threads = tuning.max_threads;
  return {};
}

SharedSession::SharedSession(SharedSession&& other) noexcept
    : fd_(std::move(other.fd_)), base_(std::exchange(other.base_, nullptr)) {}

SharedSession::~SharedSession() {
  if (base_ != nullptr) ::munmap(base_, kSessionBytes);
}

uint32_t SharedSession::slots_used() {
  return std::min(__atomic_load_n(&header().slots_used, __ATOMIC_ACQUIRE), kMaxSlots);
}

std::optional<Report> SharedSession::report() {
  // Set last by the program, so everything else is there.
  if (__atomic_load_n(&header().report.kind, __ATOMIC_ACQUIRE) == 0) return std::nullopt;
  Report report = header().report;
  report.text[sizeof report.text - 1] = 0;
  return report;
}

std::vector<SlotSummary> SharedSession::summaries() {
  std::vector<SlotSummary> all;
  for (uint32_t i = 0; i < slots_used(); i++) all.push_back({i, slot(i).count, 0, slot(i).status});
  return all;
}

std::vector<SlotPosition> SharedSession::positions() {
  constexpr uint64_t kNoLimit = ~uint64_t{0};
  constexpr auto kRunning = static_cast<uint32_t>(SlotState::kRunning);
  auto look = [](SlotShared& slot) {
    auto load = [](auto& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); };
    uint64_t count = load(slot.count);
    uint32_t state = load(slot.status.state);
    uint64_t site = state == static_cast<uint32_t>(SlotState::kWaiting) ? load(slot.status.wait_site) : 0;
    return SlotPosition{count, site, state, static_cast<uint32_t>(load(slot.head))};
  };
  std::vector<SlotPosition> all(slots_used());
  for (uint32_t i = 0; i < all.size(); i++) {
    SlotShared& shared = slot(i);
    all[i] = look(shared);
    // Seen twice, it was one moment; else the thread runs, at this count at least.
    if (SlotPosition again = look(shared); memcmp(&all[i], &again, sizeof again) != 0)
      all[i] = {all[i].count, 0, kRunning, all[i].logged};
    bool asked = header().algorithm != 0 || __atomic_load_n(&shared.limit, __ATOMIC_RELAXED) != kNoLimit;
    if (all[i].state == kRunning && !asked) __atomic_store_n(&shared.limit, 0, __ATOMIC_RELEASE);
  }
  return all;
}

void SharedSession::wait_for_doorbell(uint32_t seen, uint32_t milliseconds) {
  timespec timeout{milliseconds / 1000, static_cast<long>(milliseconds % 1000) * 1000000};
  ::syscall(SYS_futex, &header().doorbell, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

Result<std::string> find_host() {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Error{"cannot find out where this program is: " + error.message()};
  auto host = self.parent_path().parent_path() / "lib" / "anaphora" / "anaphora-host";
  if (::access(host.c_str(), X_OK) != 0) {
    return Error{fmt::format("{} is missing, so this installation is not complete: install it again", host.string())};
  }
  return host.string();
}

ProgramEnd HostExit::to_end() const {
  ProgramEnd end;
  if (WIFSIGNALED(wait_status)) {
    end.signal = WTERMSIG(wait_status);
  } else {
    end.status = WEXITSTATUS(wait_status);
  }
  end.user_seconds = user_seconds;
  end.system_seconds = system_seconds;
  end.max_rss_kib = max_rss_kib;
  return end;
}

Result<HostProcess> HostProcess::start(const HostCommand& command) {
  char session_text[kFdTextBytes] = "-1", schedule_text[kFdTextBytes] = "-1";
  std::vector<std::string> words = {command.host, command.mode == Mode::kRecord ? "record" : "replay"};
  std::vector<char*> arguments = {words[0].data(), words[1].data(), session_text, schedule_text};
  std::string separator = "--";
  std::vector<std::string> program = command.program;
  if (!program.empty()) arguments.push_back(separator.data());
  for (std::string& word : program) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  UniqueFd attached, attaching;
  if (command.attach) {
    int both[2];
    if (::pipe2(both, O_CLOEXEC) != 0) return system_error("cannot make a pipe", errno);
    attached = UniqueFd(both[0]), attaching = UniqueFd(both[1]);
  }
  PreparedCommand prepared{attached.get(), command.directory.c_str(), arguments.data(), session_text, schedule_text};

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot make a pipe", errno);
  UniqueFd reading(ends[0]);
  pid_t parent = ::getpid(), pid;
  {
    UniqueFd writing(ends[1]);
    pid = ::fork();
    if (pid == 0) run_host(command, prepared, writing.get(), parent);
  }
  if (pid < 0) return system_error("cannot start a process", errno);
  if (command.attach) {
    Status status = command.attach(pid);
    if (status && ::write(attaching.get(), "", 1) != 1) status = system_error("cannot write to a pipe", errno);
    if (!status) {
      HostProcess(pid).stop();
      return status.error();
    }
  }
  int error = 0;
  ssize_t n;
  while ((n = ::read(reading.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (n == 0) return HostProcess(pid);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return system_error("cannot start " + command.host, error);
}

HostProcess HostProcess::adopt(pid_t pid, UniqueFd fd, std::function<int()> status) {
  HostProcess process(pid);
  process.fd_ = std::move(fd);
  process.status_ = std::move(status);
  return process;
}

std::optional<HostExit> HostProcess::wait(int flags) {
  if (status_) {
    pollfd one{fd_.get(), POLLIN, 0};
    while (fd_.valid() && ::poll(&one, 1, flags == WNOHANG ? 0 : -1) != 1)
      if (flags == WNOHANG) return std::nullopt;
    return HostExit{status_(), 0, 0, 0};
  }
  int status = 0;
  rusage usage{};
  for (;;) {
    pid_t got = ::wait4(pid_, &status, flags, &usage);
    if (got == pid_) break;
    if (got < 0 && errno == EINTR) continue;
    return std::nullopt;
  }
  return HostExit{status, seconds(usage.ru_utime), seconds(usage.ru_stime), static_cast<uint64_t>(usage.ru_maxrss)};
}

std::optional<HostExit> HostProcess::poll() { return wait(WNOHANG); }

HostExit HostProcess::stop() {
  if (!status_) ::kill(pid_, SIGKILL);
  else if (fd_.valid()) ::syscall(SYS_pidfd_send_signal, fd_.get(), SIGKILL, nullptr, 0);
  return wait(0).value_or(HostExit{SIGKILL, 0, 0, 0});
}

SignalRelay::SignalRelay() {
  if (relay_depth++ != 0) return;
  relay_target.store(0);
  relay_ender.store(0);
  relay_pending.store(0);
  for (size_t i = 0; i < std::size(kRelaySignals); i++) {
    // No SA_RESTART: sleeps shall end. What was ignored (nohup, background jobs) may have a handler in the program.
    struct sigaction action {};
    action.sa_sigaction = relay;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(kRelaySignals[i], nullptr, &relay_saved[i]);
    ::sigaction(kRelaySignals[i], &action, nullptr);
  }
}

SignalRelay::~SignalRelay() {
  relay_target.store(0);
  if (--relay_depth != 0) return;
  for (size_t i = 0; i < std::size(kRelaySignals); i++) ::sigaction(kRelaySignals[i], &relay_saved[i], nullptr);
}

void SignalRelay::set_target(pid_t pid) {
  relay_target.store(pid);
  if (int signal = relay_pending.exchange(0)) ::kill(pid, signal);
}

void SignalRelay::hand_on_ignored() {
  for (size_t i = 0; relay_depth != 0 && i < std::size(kRelaySignals); i++)
    if (relay_saved[i].sa_handler == SIG_IGN) ::signal(kRelaySignals[i], SIG_IGN);
}

void SignalRelay::leave_to_others() { relay_target.store(-1); }
int SignalRelay::ender() { return relay_ender.load(); }

void die_of(int signal) {
  rlimit none{0, 0};  // the program has left a core, if it is to leave one
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace ana
