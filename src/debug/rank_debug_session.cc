#include "debug/rank_debug_session.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <filesystem>

#include "debug/gdb_process.h"
#include "debug/reaper.h"
#include "debug/trail.h"

namespace ana::debug {

namespace {

constexpr long kOptions = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
constexpr int kExitNotStarted = 126;

class RankServer : public Server {
 public:
  RankServer(Trail& trail, Connection& connection, ServerTexts texts, uint32_t rank)
      : Server(trail, connection, std::move(texts)), trail_(trail), rank_(rank) {}

 private:
  std::string describe_thread(uint32_t slot) override {
    return slot == 0 ? fmt::format("rank {}, call {} of MPI", rank_, trail_.live().calls()) : fmt::format("thread {}", slot);
  }
  std::string waits() override { return "A rank alone waits for nobody; `waits` is for recordings of threads.\n"; }
  std::string when(const std::string&) override {
    return fmt::format("0:{} (rank {}, {} calls of MPI begun){}\n", trail_.live().calls(), rank_, trail_.live().calls(),
                       trail_.at_end() ? ", the end" : "");
  }
  Trail& trail_;
  uint32_t rank_;
};

[[noreturn]] void run_child(const RankDebugRequest& request, const DebuggedRank& rank, int go) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal : {SIGINT, SIGQUIT, SIGCHLD}) ::signal(signal, SIG_DFL);
  ::setpgid(0, 0);  // ^C is gdb's business
  // gdb reads what is typed.
  int nothing = ::isatty(STDIN_FILENO) ? ::open("/dev/null", O_RDONLY) : -1;
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  if (::personality(ADDR_NO_RANDOMIZE) < 0) errno = 0;
  char byte;
  if (::read(go, &byte, 1) != 1) ::_exit(kExitNotStarted);
  if (RankReplica::install_filter()) become_debugged_rank(request.rank, rank);
  fmt::print(stderr, "anaphora: cannot run {}: {}\n", request.rank.command[0], strerror(errno));
  ::_exit(kExitNotStarted);
}

Result<pid_t> start_traced(const RankDebugRequest& request, const DebuggedRank& rank) {
  int go[2];
  if (::pipe2(go, O_CLOEXEC) != 0) return system_error("cannot make a pipe", errno);
  UniqueFd theirs(go[0]), mine(go[1]);
  pid_t pid = ::fork();
  if (pid < 0) return system_error("cannot start a process", errno);
  if (pid == 0) {
    mine = UniqueFd();
    run_child(request, rank, theirs.get());
  }
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, kOptions) != 0)
    return Error{fmt::format("cannot trace the rank's program ({}); in a container, ptrace must be allowed", strerror(errno))};
  if (::write(mine.get(), "", 1) != 1) return system_error("cannot start the rank's program", errno);
  return pid;
}

std::vector<std::string> gdb_command(const RankDebugRequest& request, const std::string& address, bool to_main) {
  auto parts = std::filesystem::path(request.rank.library).parent_path();
  std::vector<std::string> command = {"gdb", "-q", "-iex", "set sysroot", "-iex", "set exec-file-mismatch off",
                                      "-iex", "set $anaphora_rank = 1", "-ex", "source " + words_file(parts),
                                      "-ex", "target remote " + address};
  if (to_main) command.insert(command.end(), {"-ex", "tbreak main", "-ex", "continue"});
  command.insert(command.end(), request.gdb_arguments.begin(), request.gdb_arguments.end());
  command.push_back(request.rank.file.empty() ? request.rank.command[0] : request.rank.file);
  return command;
}

std::string describe_end(const RankDebugRequest& request) {
  if (!request.end) return "anaphora: the program ends here; its recorder was killed, so how it ended is not known\n";
  return fmt::format("anaphora: the program ends here, in the recording with {}\n", request.describe_end(*request.end));
}

}  // namespace

Result<int> debug_rank(const RankDebugRequest& request) {
  auto rank = prepare_debugged_rank(request.rank, request.trace, request.number);
  if (!rank) return rank.error();
  Door door;
  if (Status s = door.open(request.port); !s) return s.error();
  reaper();  // before there are children
  for (int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_IGN);
  auto pid = start_traced(request, *rank);
  if (!pid) return pid.error();
  Connection connection;
  auto first = RankReplica::adopt(*pid, connection, request.rank.library);
  if (!first) return first.error();
  Trail trail(std::move(*first));
  std::error_code unknown;
  ServerTexts texts{request.rank.file, std::filesystem::read_symlink("/proc/self/exe", unknown).string(), request.trace,
                    [&](Replica&) { return describe_end(request); }, [](uint64_t) { return std::string(); }};
  RankServer server(trail, connection, texts, request.number);
  bool at_crash = !request.begin && request.end && is_crash(*request.end);
  if (request.begin) {
    server.start_at(trail.seek(request.begin->slot, request.begin->count));
  } else if (at_crash) {
    server.start_at(trail.go_on());
    request.say("the debugger opens at the crash; -g 0:0 opens it at the beginning");
  }
  bool to_main = !at_crash && (!request.begin || request.begin->count == 0);
  return serve_gdb(server, connection, door, gdb_command(request, door.address(), to_main), request.port.has_value(),
                   request.say);
}

}  // namespace ana::debug
