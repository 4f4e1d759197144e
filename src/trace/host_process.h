// The shared memory of a session and the process that the host runs in. Common to recording and replaying; used by the
// tools, from one thread.
#pragma once
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/manifest.h"
#include "trace/result.h"
#include "trace/session.h"
#include "trace/unique_fd.h"

namespace ana {

// session.h, mapped. The program writes to it at any time and may have gone mad: what is read from it is bounded here.
class SharedSession {
 public:
  static Result<SharedSession> create(Mode mode);
  // Memory that a recorded program has made into a session.
  static Result<SharedSession> adopt(UniqueFd fd);
  SharedSession(SharedSession&& other) noexcept;
  SharedSession& operator=(SharedSession&&) = delete;
  ~SharedSession();

  Status set_tuning(const RecordTuning& tuning);
  int fd() const { return fd_.get(); }
  SessionHeader& header() { return *reinterpret_cast<SessionHeader*>(base_); }
  SlotShared& slot(uint32_t i) { return *reinterpret_cast<SlotShared*>(base_ + kSlotsOffset + i * kSlotBytes); }
  const uint8_t* ring(uint32_t i) const { return base_ + kSlotsOffset + i * kSlotBytes + kRingOffset; }
  uint32_t slots_used();
  // The report of the runtime, if there is one, with its text terminated.
  std::optional<Report> report();
  std::vector<SlotSummary> summaries();
  // Of a program that is being recorded. Threads that count in registers are asked to tell how far they are, for the
  // next time.
  std::vector<SlotPosition> positions();

  // Sleeps until the doorbell is no longer `seen`, a signal comes, or time is up.
  void wait_for_doorbell(uint32_t seen, uint32_t milliseconds);

 private:
  SharedSession(UniqueFd fd, uint8_t* base) : fd_(std::move(fd)), base_(base) {}
  UniqueFd fd_;
  uint8_t* base_;
};

// <directory of this executable>/../lib/anaphora/anaphora-host
Result<std::string> find_host();

struct HostCommand {
  std::string host;
  Mode mode = Mode::kNone;
  int session_fd = -1;
  int schedule_fd = -1;              // -1 when recording
  std::string directory;             // to run in, if it still exists; empty: where the tool is
  std::vector<std::string> program = {};  // and its arguments; empty when replaying
  // Further descriptors that the host gets; where to put their numbers, in memory that it shares.
  struct Inherited {
    int fd;
    uint32_t* number;
    bool needed = true;  // else the number stays as it is where there is none to be had
  };
  std::vector<Inherited> inherited = {};
  std::function<Status(pid_t)> attach = {};  // for a tracer: the process waits for it to return, in a group of its own
  bool silent = false;               // stdout and stderr lead nowhere
};

// How a process ended, and what it used.
struct HostExit {
  int wait_status;
  double user_seconds, system_seconds;
  uint64_t max_rss_kib;

  ProgramEnd to_end() const;
};

class HostProcess {
 public:
  // The program dies with the tool: without anybody to empty its rings it would stop in the middle of things.
  static Result<HostProcess> start(const HostCommand& command);

  // Another process than the tool's child. `fd`: its pidfd, or not valid if it is dead already; `status` finds out how it
  // ended, when it has.
  static HostProcess adopt(pid_t pid, UniqueFd fd, std::function<int()> status);

  pid_t pid() const { return pid_; }
  // Nothing while it runs.
  std::optional<HostExit> poll();
  // SIGKILL, and wait.
  HostExit stop();

 private:
  explicit HostProcess(pid_t pid) : pid_(pid) {}
  std::optional<HostExit> wait(int flags);
  pid_t pid_;
  UniqueFd fd_;                   // of an adopted one
  std::function<int()> status_;
};

// While it exists, the terminal's ^C and ^\ are left to the program, which gets them too; SIGTERM, SIGHUP, SIGUSR1 and
// SIGUSR2, and SIGINT and SIGQUIT that somebody sends, are passed on to it: users know the process id of the tool. What
// comes before there is a target waits for it. The end of a child interrupts sleeps. In a process at most one has a
// target; one inside another's life leaves the handlers to that.
class SignalRelay {
 public:
  SignalRelay();
  ~SignalRelay();
  SignalRelay(const SignalRelay&) = delete;
  void set_target(pid_t pid);
  // SIGINT, SIGQUIT, SIGTERM or SIGHUP, whichever came last and was not ignored before; 0 if none did.
  static int ender();
  static bool interrupted() { return ender() != 0; }
  // In a process forked meanwhile, before exec, which takes the handlers away: what the user ignores (nohup, background
  // jobs), the program shall ignore.
  static void hand_on_ignored();
  // In a process forked meanwhile: signals are passed on to nobody.
  static void leave_to_others();
};

// This process ends of the signal as the program did, for those who wait for it. Returns if the signal ends nothing.
void die_of(int signal);

}  // namespace ana
