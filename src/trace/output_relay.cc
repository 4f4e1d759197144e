#include "trace/output_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace ana {

namespace {

constexpr int kMostWaits = 200;  // of ten milliseconds
constexpr const char* kNotSaved = "; what processes that it starts print is not in the trace";

bool leads_somewhere(int fd) {
  struct stat info;
  int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || ::fstat(fd, &info) != 0) return false;
  return !S_ISCHR(info.st_mode) || info.st_rdev != makedev(1, 3);  // null(4)
}

// What is written to them has one order.
bool are_one(int a, int b) {
  if (::syscall(SYS_kcmp, ::getpid(), ::getpid(), KCMP_FILE, a, b) == 0) return true;
  struct stat one, other;
  if (::fstat(a, &one) != 0 || ::fstat(b, &other) != 0 || S_ISREG(one.st_mode)) return false;
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Looks like `real` to who uses it, but leaves what is written as it is: the real one does that.
Status open_terminal(int real, UniqueFd& master, UniqueFd& terminal) {
  master = UniqueFd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64];
  if (!master.valid() || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0 ||
      ::ptsname_r(master.get(), name, sizeof name) != 0)
    return system_error("cannot make a pseudo terminal", errno);
  terminal = UniqueFd(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal.valid()) return system_error("cannot open the pseudo terminal", errno);
  termios modes{};
  winsize size{};
  if (::tcgetattr(real, &modes) == 0) {
    modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    ::tcsetattr(terminal.get(), TCSANOW, &modes);
  }
  if (::ioctl(real, TIOCGWINSZ, &size) == 0) ::ioctl(terminal.get(), TIOCSWINSZ, &size);
  return {};
}

}  // namespace

OutputRelay::OutputRelay(SharedSession& session, int directory) : session_(session), directory_(directory) {
  RelayControl& relay = control();
  for (RelayChannel& channel : relay.channel) channel.descriptor = channel.master = kNoDescriptor;
  bool out = leads_somewhere(STDOUT_FILENO), err = leads_somewhere(STDERR_FILENO);
  relay.is_one = out && err && are_one(STDOUT_FILENO, STDERR_FILENO);
  Status status;
  if (out) status = open(STDOUT_FILENO, channels_[0]);
  if (status.ok() && err && !relay.is_one) status = open(STDERR_FILENO, channels_[1]);
  if (!status) {
    problems_.push_back(status.error().text + kNotSaved);
    for (Channel& channel : channels_) channel = {};
  } else if (out || err) {
    relay.state = static_cast<uint32_t>(RelayState::kReady);
  }
}

Status OutputRelay::open(int real, Channel& channel) {
  channel.is_terminal = ::isatty(real) != 0;
  if (channel.is_terminal) return open_terminal(real, channel.reading, channel.writing);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot make a pipe", errno);
  channel.reading = UniqueFd(ends[0]), channel.writing = UniqueFd(ends[1]);
  return {};
}

void OutputRelay::hand_over(HostCommand& command) {
  for (uint32_t i = 0; i < kChannels; i++) {
    if (!channels_[i].writing.valid()) continue;
    command.inherited.push_back({channels_[i].writing.get(), &control().channel[i].descriptor, false});
    if (channels_[i].is_terminal)
      command.inherited.push_back({channels_[i].reading.get(), &control().channel[i].master, false});
  }
}

void OutputRelay::handed_over() {
  for (Channel& channel : channels_) channel.writing = UniqueFd();
}

void OutputRelay::serve() {
  RelayControl& relay = control();
  if (pid_ > 0 && has_died()) {
    for (RelayChannel& channel : relay.channel) __atomic_store_n(&channel.gone, 1, __ATOMIC_RELEASE);
    free_lock();
  }
  if (__atomic_load_n(&relay.state, __ATOMIC_SEQ_CST) != static_cast<uint32_t>(RelayState::kAsked)) return;
  bool started = start();
  if (!started)
    problems_.push_back(fmt::format("cannot start a process ({}){}", strerror(errno), kNotSaved));
  __atomic_store_n(&relay.state, static_cast<uint32_t>(started ? RelayState::kRuns : RelayState::kRefused),
                   __ATOMIC_SEQ_CST);
  wake_all(relay.state);
  for (Channel& channel : channels_) channel.reading = UniqueFd();
}

bool OutputRelay::start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  UniqueFd other(ends[0]);
  recording_ = UniqueFd(ends[1]);
  RelayedOutput outputs[kChannels];
  for (uint32_t i = 0; i < kChannels; i++) {
    if (!channels_[i].reading.valid()) continue;
    outputs[i] = {channels_[i].reading.get(), i == 0 ? STDOUT_FILENO : STDERR_FILENO, channels_[i].is_terminal};
  }
  ::fflush(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) run_relay(control(), outputs, other.get(), directory_);
  return pid_ > 0;
}

bool OutputRelay::has_died() {
  if (::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ < 0;
}

// Whoever held it is dead.
void OutputRelay::free_lock() {
  __atomic_store_n(&control().lock, 0, __ATOMIC_SEQ_CST);
  wake_all(control().lock);
}

void OutputRelay::finish() {
  constexpr auto kRuns = static_cast<uint32_t>(RelayState::kRuns);
  RelayControl& relay = control();
  if (!recording_.valid()) return;
  free_lock();
  recording_ = UniqueFd();
  for (int n = 0; n < kMostWaits && __atomic_load_n(&relay.state, __ATOMIC_SEQ_CST) == kRuns; n++) {
    if (pid_ < 0 || has_died()) break;
    wait_for_word(relay.state, kRuns);
  }
  if (uint32_t error = __atomic_load_n(&relay.error, __ATOMIC_RELAXED); error != 0)
    problems_.push_back(fmt::format("what other processes printed could not be saved ({}); a replay shows a part of it",
                                    strerror(static_cast<int>(error))));
}

uint64_t OutputRelay::stored_bytes() const { return __atomic_load_n(&control().stored, __ATOMIC_RELAXED); }

}  // namespace ana
