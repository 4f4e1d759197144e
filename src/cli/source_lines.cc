#include "cli/source_lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <vector>

namespace ana {

namespace {

constexpr const char* kSymbolizers[] = {"addr2line", "llvm-addr2line-19", "llvm-addr2line"};

// The output of a command, or nothing if it cannot be run.
std::string run(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid;
  int failed = ::posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t n; failed == 0 && (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    output.append(buffer, static_cast<size_t>(n));
  ::close(ends[0]);
  if (failed == 0) ::waitpid(pid, nullptr, 0);
  return output;
}

std::string symbolize(const std::string& module, uint64_t offset) {
  for (const char* tool : kSymbolizers) {
    std::string text = run({tool, "-f", "-C", "-s", "-e", module, fmt::format("{:#x}", offset)});
    size_t line = text.find('\n');
    if (line == std::string::npos) continue;
    std::string function = text.substr(0, line), place = text.substr(line + 1, text.find('\n', line + 1) - line - 1);
    place = place.substr(0, place.find(" ("));  // "(discriminator 2)"
    if (place.empty() || place[0] == '?' || place.ends_with(":?") || place.ends_with(":0")) {
      return function.empty() || function[0] == '?' ? "" : fmt::format("{} (compile with -g for the line)", function);
    }
    return function.empty() || function[0] == '?' ? place : fmt::format("{} ({})", place, function);
  }
  return "";
}

}  // namespace

std::string describe_address(const std::string& module, uint64_t return_offset) {
  if (module.empty()) return "";
  static std::map<std::pair<std::string, uint64_t>, std::string> known;
  auto [at, added] = known.try_emplace({module, return_offset});
  if (!added) return at->second;
  // The call is before the address that it returns to.
  at->second = symbolize(module, return_offset - 1);
  if (at->second.empty())
    at->second = fmt::format("{}+{:#x}", std::filesystem::path(module).filename().string(), return_offset);
  return at->second;
}

}  // namespace ana
