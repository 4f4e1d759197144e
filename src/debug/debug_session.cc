#include "debug/debug_session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "debug/reaper.h"

namespace ana::debug {

namespace {

constexpr long kOptions = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
constexpr int kNotFound = 127;

// A socket that gdb connects to: in a directory of our own, or a port of this machine.
class Door {
 public:
  Door() = default;
  Door(const Door&) = delete;
  ~Door() {
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
  }

  Status open(std::optional<uint16_t> port) { return port ? open_port(*port) : open_private(); }
  // For gdb's `target remote`.
  const std::string& address() const { return address_; }

  // Nothing if gdb has ended before it came.
  UniqueFd accept() {
    for (int status;;) {
      reaper().poll(status);
      if (reaper().child_status()) return {};
      if (reaper().sleep(fd_.get(), -1)) return UniqueFd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    }
  }

 private:
  Status open_private() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "anaphora-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) return system_error("cannot make the directory " + name, errno);
    directory_ = name;
    address_ = directory_ + "/gdb";
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    if (address_.size() >= sizeof to.sun_path)
      return Error{directory_ + ": the path is too long for a socket; set TMPDIR to a shorter one"};
    address_.copy(to.sun_path, sizeof to.sun_path - 1);
    return listen(AF_UNIX, reinterpret_cast<sockaddr*>(&to), sizeof to);
  }
  Status open_port(uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (Status s = listen(AF_INET, reinterpret_cast<sockaddr*>(&to), sizeof to); !s) return s;
    socklen_t size = sizeof to;
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&to), &size);
    address_ = fmt::format("localhost:{}", ntohs(to.sin_port));
    return {};
  }
  Status listen(int family, const sockaddr* to, socklen_t size) {
    fd_ = UniqueFd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int on = 1;
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!fd_.valid() || ::bind(fd_.get(), to, size) != 0 || ::listen(fd_.get(), 1) != 0)
      return system_error("cannot wait for a debugger", errno);
    return {};
  }

  std::string directory_, address_;
  UniqueFd fd_;
};

// Where this tool's words for gdb are.
std::string words_file(const std::string& host) {
  return (std::filesystem::path(host).parent_path() / "gdb" / "anaphora.py").string();
}

std::vector<std::string> gdb_command(const TraceReader& reader, const DebugRequest& request, const std::string& address) {
  std::vector<std::string> command = {"gdb", "-q", "-iex", "set sysroot", "-iex", "set exec-file-mismatch off"};
  std::set<std::string> directories;
  for (const PackedFile& file : reader.packed().files())
    directories.insert(std::filesystem::path(reader.packed().find(file.path)).parent_path().string());
  if (!directories.empty()) {
    command.insert(command.end(), {"-iex", fmt::format("set solib-search-path {}", fmt::join(directories, ":"))});
  }
  command.insert(command.end(), {"-ex", "source " + words_file(request.host), "-ex", "target remote " + address});
  command.insert(command.end(), request.gdb_arguments.begin(), request.gdb_arguments.end());
  command.push_back(reader.program_file());
  return command;
}

Result<pid_t> start_gdb(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = ::fork();
  if (pid < 0) return system_error("cannot start a process", errno);
  if (pid != 0) return pid;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal : {SIGINT, SIGQUIT, SIGCHLD}) ::signal(signal, SIG_DFL);
  ::execvp(arguments[0], arguments.data());
  ::_exit(kNotFound);
}

// For a shell.
std::string quoted(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command)
    text += (text.empty() ? "" : " ") + (word.find_first_of(" *?$'\"") == std::string::npos ? word : "'" + word + "'");
  return text;
}

bool is_crash(const ProgramEnd& end) {
  switch (end.signal) {
    case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGABRT: case SIGTRAP: return true;
    default: return false;
  }
}

Status seize(pid_t pid) {
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, kOptions) == 0) return {};
  return Error{fmt::format("cannot trace the replayed program ({}); in a container, ptrace must be allowed", strerror(errno))};
}

}  // namespace

Result<int> debug_replay(const TraceReader& reader, const Schedule& schedule, const DebugRequest& request) {
  auto session = SharedSession::create(Mode::kReplay);
  if (!session) return session.error();
  if (Status s = prepare_session(reader, request.slices, *session); !s) return s.error();
  session->header().debug.enabled = session->header().debug.serial = 1;
  session->header().debug.stop_slot = kNoSlot;
  Door door;
  if (Status s = door.open(request.port); !s) return s.error();

  reaper();  // before there are children
  // ^C is gdb's business.
  for (int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_IGN);
  HostCommand command{request.host, Mode::kReplay, session->fd(), schedule.file.get(), reader.manifest().cwd, {}, {},
                      seize};
  auto kept = open_kept_files(reader, schedule);
  if (!kept) return kept.error();
  hand_over(*kept, schedule, session->header(), command);
  auto printed = open_printed(reader);
  if (!printed) return printed.error();
  hand_over(*printed, session->header(), command);
  auto host = HostProcess::start(command);
  if (!host) return host.error();
  Connection connection;
  auto first = Replica::adopt(host->pid(), connection);
  if (!first) return first.error();
  Timeline timeline(std::move(*first));
  Server server(timeline, connection, request.texts);
  if (request.begin) server.start_at(timeline.seek(request.begin->slot, request.begin->count));
  else if (is_crash(recorded_end(reader.manifest()))) {
    server.start_at(timeline.go_on());
    request.say("the debugger opens at the crash; -g 0:0 opens it at the beginning");
  }

  auto gdb = gdb_command(reader, request, door.address());
  if (request.port) {
    request.say("waiting for a debugger, for instance: " + quoted(gdb));
  } else {
    auto pid = start_gdb(gdb);
    if (!pid) return pid.error();
    reaper().expect(*pid);
  }
  connection.set(door.accept());
  if (connection.is_open()) server.serve();
  if (request.port) return 0;
  connection.set(UniqueFd());
  if (!reaper().wait_for_child()) return 0;
  int status = *reaper().child_status();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound)
    return Error{"gdb is not installed (package gdb on Debian); `anaphora replay -a` needs none"};
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace ana::debug
