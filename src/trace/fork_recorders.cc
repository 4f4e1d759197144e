#include "trace/fork_recorders.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace ana {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::milliseconds(300);    // for children that end with their parent
constexpr auto kLongest = std::chrono::seconds(30);        // for a recorder whose child is dead
constexpr auto kStatusWait = std::chrono::milliseconds(500);
constexpr useconds_t kPause = 2000;
constexpr uint64_t kNeverBorn = ~uint64_t{0};

uint64_t process_of(SharedSession& session) { return __atomic_load_n(&session.header().process, __ATOMIC_ACQUIRE); }

bool is_dead(uint64_t process) {
  UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0)));
  if (!fd.valid()) return true;
  pollfd one{fd.get(), POLLIN, 0};
  return ::poll(&one, 1, 0) == 1;
}

// Nothing of the tool's is this process's: files, leases, the terminal.
void let_go(int keep) {
  ::setsid();
  int nowhere = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3 && nowhere >= 0; fd++) ::dup2(nowhere, fd);
  if (keep > 3) ::syscall(SYS_close_range, 3, keep - 1, 0);
  ::syscall(SYS_close_range, keep + 1, ~0u, 0);
}

// As the program was told, or as the kernel shows it as long as nobody has asked.
std::optional<int> status_from(const SessionHeader& parents, uint32_t process) {
  for (const ReapedChild& child : parents.reaped)
    if (__atomic_load_n(&child.process, __ATOMIC_SEQ_CST) == process)
      return static_cast<int>(__atomic_load_n(&child.status, __ATOMIC_SEQ_CST));
  std::string path = fmt::format("/proc/{}/stat", process);
  FILE* file = ::fopen(path.c_str(), "re");
  if (file == nullptr) return std::nullopt;
  char text[2048];
  size_t size = ::fread(text, 1, sizeof text - 1, file);
  ::fclose(file);
  text[size] = 0;
  const char* at = ::strrchr(text, ')');
  if (at == nullptr || ::strncmp(at, ") Z", 3) != 0) return std::nullopt;
  constexpr int kFieldsAfterName = 50;  // proc(5): exit_code is the 52nd, the name the 2nd
  for (int field = 0; field < kFieldsAfterName && at != nullptr; field++) at = ::strchr(at + 1, ' ');
  return at == nullptr ? std::nullopt : std::optional<int>(::atoi(at + 1));
}

int find_status(SharedSession& session, const SessionHeader& parents) {
  const SessionHeader& header = session.header();
  if (__atomic_load_n(&header.exited, __ATOMIC_ACQUIRE) != 0) return static_cast<int>(header.exit_status & 0xff) << 8;
  for (auto until = Clock::now() + kStatusWait; Clock::now() < until; ::usleep(kPause)) {
    if (auto status = status_from(parents, static_cast<uint32_t>(header.process))) return *status;
  }
  return SIGKILL;  // nobody saw how it ended, but it did not exit
}

}  // namespace

void ForkRecorders::serve(SessionHeader& header, pid_t program, const Record& record) {
  forget_ended();
  constexpr auto kAsked = static_cast<uint32_t>(ForkState::kAsked);
  if (__atomic_load_n(&header.fork.state, __ATOMIC_SEQ_CST) != kAsked) return;
  auto answer = [&](ForkState state) {
    __atomic_store_n(&header.fork.state, static_cast<uint32_t>(state), __ATOMIC_SEQ_CST);
    ::syscall(SYS_futex, &header.fork.state, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  };
  std::string path = fmt::format("/proc/{}/fd/{}", program, header.fork.descriptor);
  auto session = SharedSession::adopt(UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC)));
  if (!session) return answer(ForkState::kRefused);
  ::fflush(nullptr);
  pid_t pid = ::fork();
  if (pid < 0) return answer(ForkState::kRefused);
  if (pid == 0) {
    SignalRelay::leave_to_others();
    let_go(session->fd());
    session->header().recorder = static_cast<uint32_t>(::getpid());
    record(std::move(*session));
    ::_exit(0);
  }
  recorders_.push_back({pid, std::move(*session)});
  answer(ForkState::kGranted);
}

void ForkRecorders::forget_ended() {
  std::erase_if(recorders_, [](const Recorder& one) { return ::waitpid(one.pid, nullptr, WNOHANG) == one.pid; });
}

size_t ForkRecorders::finish() {
  auto start = Clock::now();
  while (!recorders_.empty()) {
    forget_ended();
    bool dead = false;
    for (Recorder& one : recorders_) {
      uint64_t process = process_of(one.session);
      dead |= process == 0 || process == kNeverBorn || is_dead(process);
    }
    auto waited = Clock::now() - start;
    if (waited > kLongest || (!dead && waited > kGrace)) break;
    ::usleep(kPause);
  }
  return recorders_.size();
}

Result<HostProcess> adopt_forked(SharedSession& session, const SessionHeader& parents) {
  auto start = Clock::now();
  while (process_of(session) == 0 && Clock::now() - start < kLongest) session.wait_for_doorbell(0, 10);
  uint64_t process = process_of(session);
  if (process == 0 || process == kNeverBorn) return Error{"the program did not fork"};
  UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0)));
  return HostProcess::adopt(static_cast<pid_t>(process), std::move(fd),
                            [&session, &parents] { return find_status(session, parents); });
}

}  // namespace ana
