#include "cli/source_lines.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "cli/command_output.h"

namespace ana {

namespace {

// The GNU one, of binutils 2.40, names the wrong file for functions in headers compiled by clang.
constexpr const char* kSymbolizers[] = {"llvm-addr2line-19", "llvm-addr2line", "addr2line"};

// "??", "app.c:?", "app.c:0": not known.
bool is_known(const std::string& place) {
  return !place.empty() && place[0] != '?' && !place.ends_with(":?") && !place.ends_with(":0");
}

std::string symbolize(const std::string& module, uint64_t offset) {
  SourcePlace place = source_place(module, offset);
  if (place.file.empty()) return place.function.empty() ? "" : place.function + " (compile with -g for the line)";
  std::string file = std::filesystem::path(place.file).filename().string();
  return fmt::format("{}:{}{}", file, place.line, place.function.empty() ? "" : " (" + place.function + ")");
}

}  // namespace

namespace {

SourcePlace place_of(const std::string& function, std::string where) {
  SourcePlace place;
  if (!function.empty() && function[0] != '?') place.function = function;
  where = where.substr(0, where.find(" ("));  // "(discriminator 2)"
  if (!is_known(where)) return place;
  size_t colon = where.rfind(':');
  place.file = where.substr(0, colon);
  place.line = static_cast<uint32_t>(strtoul(where.c_str() + colon + 1, nullptr, 10));
  return place;
}

}  // namespace

std::vector<SourcePlace> source_frames(const std::string& module, uint64_t offset) {
  for (const char* tool : kSymbolizers) {
    std::istringstream text(output_of({tool, "-i", "-f", "-C", "-e", module, fmt::format("{:#x}", offset)}));
    std::vector<SourcePlace> out;
    for (std::string function, where; std::getline(text, function) && std::getline(text, where);)
      out.push_back(place_of(function, where));
    if (!out.empty()) return out;
  }
  return {};
}

SourcePlace source_place(const std::string& module, uint64_t offset) {
  std::vector<SourcePlace> frames = source_frames(module, offset);
  return frames.empty() ? SourcePlace() : frames[0];
}

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
