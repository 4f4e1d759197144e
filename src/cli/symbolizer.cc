#include "cli/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iterator>

namespace ana {

namespace {

// The GNU one, of binutils 2.40, names the wrong file for functions in headers compiled by clang.
constexpr const char* kTools[] = {"llvm-addr2line-19", "llvm-addr2line", "addr2line"};
// Asked after each address: how many lines an answer has is not known before, but where the next begins is.
constexpr uint64_t kNowhere = ~0ull;
constexpr time_t kLongestAnswer = 120;  // seconds: the first one reads all that is known of the module

bool begins_answer(const std::string& line) { return line.starts_with("0x"); }

}  // namespace

std::vector<std::string> Symbolizer::ask(uint64_t offset) {
  if (::access(module_.c_str(), R_OK) != 0) return {};  // some answer all the same, that they do not know
  for (; tool_ < std::size(kTools); tool_++) {
    if (pid_ < 0 && !start()) continue;
    if (auto lines = answer(offset)) return *lines;
    stop();
  }
  return {};
}

bool Symbolizer::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  channel_ = UniqueFd(ends[0]);
  UniqueFd theirs(ends[1]);
  timeval longest{kLongestAnswer, 0};
  ::setsockopt(channel_.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const char* words[] = {kTools[tool_], "-a", "-i", "-f", "-C", "-e", module_.c_str(), nullptr};
  int failed = ::posix_spawnp(&pid_, words[0], &actions, nullptr, const_cast<char**>(words), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed) pid_ = -1;
  return !failed;
}

void Symbolizer::stop() {
  channel_ = UniqueFd();
  unread_.clear();
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);  // it has nothing to lose, and may be the one that does not answer
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::optional<std::vector<std::string>> Symbolizer::answer(uint64_t offset) {
  std::string question = fmt::format("{:#x}\n{:#x}\n", offset, kNowhere);
  if (::send(channel_.get(), question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size()))
    return std::nullopt;
  std::vector<std::string> lines;
  auto first = read_line();
  if (!first || !begins_answer(*first)) return std::nullopt;
  for (;;) {
    auto line = read_line();
    if (!line) return std::nullopt;
    if (lines.size() % 2 == 0 && begins_answer(*line)) break;
    lines.push_back(std::move(*line));
  }
  if (!read_line() || !read_line()) return std::nullopt;  // what is nowhere
  return lines;
}

std::optional<std::string> Symbolizer::read_line() {
  size_t end;
  while ((end = unread_.find('\n')) == std::string::npos) {
    char piece[4096];
    ssize_t n = ::read(channel_.get(), piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    unread_.append(piece, static_cast<size_t>(n));
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

}  // namespace ana
