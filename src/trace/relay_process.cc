#include "trace/relay_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "trace/printed_file.h"

namespace ana {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kFlushInterval = std::chrono::milliseconds(200);
constexpr int kTerminalMilliseconds = 250;  // how long another size of the window may stay unnoticed
constexpr int kMostPasses = 64;             // at the end of a recording, if somebody goes on printing
constexpr int kMostWaits = 100;             // for the lock
constexpr long kWaitNanoseconds = 10'000'000;

// Modes that a process gives to the pseudo terminal are meant for the real one, and the size of that for the other.
// What the real one does to output it does itself.
class TerminalMirror {
 public:
  TerminalMirror(int master, int real) : master_(master), real_(real) {
    ::tcgetattr(master_, &master_modes_);
    ::tcgetattr(real_, &real_modes_);
  }
  void look() {
    constexpr tcflag_t kProcessing = OPOST;
    termios now{};
    if (::tcgetattr(master_, &now) == 0 && differ(now, master_modes_)) {
      tcflag_t processing = (now.c_oflag | real_modes_.c_oflag) & kProcessing;
      real_modes_ = now;
      real_modes_.c_oflag |= processing;
      ::tcsetattr(real_, TCSADRAIN, &real_modes_);
      now.c_oflag &= ~kProcessing;
      ::tcsetattr(master_, TCSANOW, &now);
      master_modes_ = now;
    }
    winsize here{}, there{};
    if (::ioctl(real_, TIOCGWINSZ, &here) != 0 || ::ioctl(master_, TIOCGWINSZ, &there) != 0) return;
    if (memcmp(&here, &there, sizeof here) != 0) ::ioctl(master_, TIOCSWINSZ, &here);
  }

 private:
  static bool differ(const termios& a, const termios& b) {
    return a.c_iflag != b.c_iflag || a.c_oflag != b.c_oflag || a.c_cflag != b.c_cflag || a.c_lflag != b.c_lflag ||
           memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) != 0;
  }
  int master_, real_;
  termios master_modes_{}, real_modes_{};
};

bool write_through(int fd, const char* at, size_t size) {
  while (size > 0) {
    ssize_t n = ::write(fd, at, size);
    if (n < 0 && errno == EAGAIN) {
      pollfd one{fd, POLLOUT, 0};
      ::poll(&one, 1, -1);
    } else if (n < 0 && errno != EINTR) {
      return false;
    }
    if (n <= 0) continue;
    at += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

class Relay {
 public:
  Relay(RelayControl& control, const RelayedOutput (&outputs)[kChannels], int recording, int directory)
      : control_(control), recording_(recording), file_(directory) {
    std::copy(std::begin(outputs), std::end(outputs), outputs_);
    for (uint32_t i = 0; i < kChannels; i++)
      if (outputs[i].is_terminal) mirrors_[i].emplace(outputs[i].reading, outputs[i].real);
  }

  void run() {
    while (outputs_[0].reading >= 0 || outputs_[1].reading >= 0) {
      bool hung_up = pass(timeout());
      if (file_.has_collected() && Clock::now() - flushed_ >= kFlushInterval) flush();
      if (hung_up) answer_end();
    }
    if (!control_.error) note(file_.finish());
    tell_file();
    tell_end();
  }

 private:
  int timeout() const {
    if (file_.has_collected()) return static_cast<int>(kFlushInterval.count());
    return outputs_[0].is_terminal || outputs_[1].is_terminal ? kTerminalMilliseconds : -1;
  }

  // True if the recording has ended.
  bool pass(int milliseconds, bool* found = nullptr) {
    pollfd all[kChannels + 1];
    for (uint32_t i = 0; i < kChannels; i++) all[i] = {outputs_[i].reading, POLLIN, 0};
    all[kChannels] = {recording_, POLLIN, 0};
    ::poll(all, kChannels + 1, milliseconds);
    for (uint32_t i = 0; i < kChannels; i++) {
      if (outputs_[i].is_terminal) mirrors_[i]->look();
      if (all[i].revents == 0 || outputs_[i].reading < 0) continue;
      if (found) *found = true;
      copy(i);
    }
    return recording_ >= 0 && all[kChannels].revents != 0;
  }

  void copy(uint32_t i) {
    RelayedOutput& output = outputs_[i];
    RelayChannel& channel = control_.channel[i];
    bool locked = recording_ >= 0 && take_lock();
    ssize_t n = ::read(output.reading, buffer_, sizeof buffer_);
    if (n > 0) {
      auto size = static_cast<size_t>(n);
      if (output.real >= 0 && !write_through(output.real, buffer_, size)) output.real = -1;
      if (!control_.error) note(file_.append(i, buffer_, size));
      __atomic_add_fetch(&channel.bytes, size, __ATOMIC_RELEASE);  // pairs with the program's acquire
    }
    bool ended = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
    // Who prints to a reader that has gone shall find that out. A terminal tells everybody itself.
    if (ended || (output.real < 0 && !output.is_terminal)) {
      __atomic_store_n(&channel.gone, 1, __ATOMIC_RELEASE);
      ::close(output.reading);
      output = {};
    }
    if (locked) leave_relay_lock(control_.lock, wake_all);
    __atomic_add_fetch(&control_.copies, 1, __ATOMIC_SEQ_CST);
    wake_all(control_.copies);
  }

  bool take_lock() {
    return take_relay_lock(control_.lock, [waits = kMostWaits](uint32_t& word, uint32_t value) mutable {
      wait_for_word(word, value);
      return --waits > 0;
    });
  }

  // Of all that was printed until then, nothing is left here.
  void answer_end() {
    ::close(recording_);
    recording_ = -1;
    bool found = true;
    for (int n = 0; n < kMostPasses && found; n++) {
      found = false;
      pass(0, &found);
    }
    flush();
    tell_end();
  }
  void tell_end() {
    __atomic_store_n(&control_.state, static_cast<uint32_t>(RelayState::kNone), __ATOMIC_SEQ_CST);
    wake_all(control_.state);
  }

  void flush() {
    if (!control_.error) note(file_.flush());
    tell_file();
    flushed_ = Clock::now();
  }
  void tell_file() { __atomic_store_n(&control_.stored, file_.file_bytes(), __ATOMIC_RELAXED); }
  void note(const Status& status) {
    if (!status && !control_.error) __atomic_store_n(&control_.error, errno ? errno : EIO, __ATOMIC_RELAXED);
  }

  RelayControl& control_;
  RelayedOutput outputs_[kChannels];
  int recording_;  // -1: it has ended
  PrintedWriter file_;
  std::optional<TerminalMirror> mirrors_[kChannels];
  Clock::time_point flushed_ = Clock::now();
  char buffer_[64 * 1024];
};

void close_others(std::vector<int> keep) {
  std::sort(keep.begin(), keep.end());
  unsigned next = 0;
  for (int fd : keep) {
    if (fd < static_cast<int>(next)) continue;
    if (fd > static_cast<int>(next)) ::syscall(SYS_close_range, next, fd - 1, 0);
    next = static_cast<unsigned>(fd) + 1;
  }
  ::syscall(SYS_close_range, next, ~0u, 0);
}

}  // namespace

void wait_for_word(uint32_t& word, uint32_t seen) {
  timespec limit{0, kWaitNanoseconds};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

void wake_all(uint32_t& word) { ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

void run_relay(RelayControl& control, const RelayedOutput (&outputs)[kChannels], int recording, int directory) {
  ::setsid();  // the terminal's signals are for those who print
  for (int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  std::vector<int> keep = {recording, directory};
  for (const RelayedOutput& output : outputs)
    if (output.reading >= 0) keep.insert(keep.end(), {output.reading, output.real});
  close_others(std::move(keep));
  Relay(control, outputs, recording, directory).run();
  ::_exit(0);
}

}  // namespace ana
