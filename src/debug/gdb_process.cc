#include "debug/gdb_process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "debug/reaper.h"

namespace ana::debug {

namespace {

constexpr int kNotFound = 127;

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

}  // namespace

Door::~Door() {
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

UniqueFd Door::accept() {
  for (int status;;) {
    reaper().poll(status);
    if (reaper().child_status()) return {};
    if (reaper().sleep(fd_.get(), -1)) return UniqueFd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
}

Status Door::open_private() {
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

Status Door::open_port(uint16_t port) {
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

Status Door::listen(int family, const sockaddr* to, socklen_t size) {
  fd_ = UniqueFd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int on = 1;
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!fd_.valid() || ::bind(fd_.get(), to, size) != 0 || ::listen(fd_.get(), 1) != 0)
    return system_error("cannot wait for a debugger", errno);
  return {};
}

std::string words_file(const std::string& parts) { return (std::filesystem::path(parts) / "gdb" / "anaphora.py").string(); }

bool is_crash(const ProgramEnd& end) {
  switch (end.signal) {
    case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGABRT: case SIGTRAP: return true;
    default: return false;
  }
}

Result<int> serve_gdb(Server& server, Connection& connection, Door& door, const std::vector<std::string>& command,
                      bool waits, const std::function<void(const std::string&)>& say) {
  if (waits) {
    say("waiting for a debugger, for instance: " + quoted(command));
  } else {
    auto pid = start_gdb(command);
    if (!pid) return pid.error();
    reaper().expect(*pid);
  }
  connection.set(door.accept());
  if (connection.is_open()) server.serve();
  if (waits) return 0;
  connection.set(UniqueFd());
  if (!reaper().wait_for_child()) return 0;
  int status = *reaper().child_status();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound)
    return Error{"gdb is not installed (package gdb on Debian); `anaphora replay -a` needs none"};
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace ana::debug
