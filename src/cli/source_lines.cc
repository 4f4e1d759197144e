#include "cli/source_lines.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "cli/command_output.h"

namespace ana {

namespace {

constexpr const char* kSymbolizers[] = {"addr2line", "llvm-addr2line-19", "llvm-addr2line"};

std::string symbolize(const std::string& module, uint64_t offset) {
  for (const char* tool : kSymbolizers) {
    std::string text = output_of({tool, "-f", "-C", "-s", "-e", module, fmt::format("{:#x}", offset)});
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
