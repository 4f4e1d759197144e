#include "cli/source_lines.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <map>

#include "cli/symbolizer.h"

namespace ana {

namespace {

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
  static std::map<std::string, Symbolizer> symbolizers;
  std::vector<std::string> lines = symbolizers.try_emplace(module, module).first->second.ask(offset);
  std::vector<SourcePlace> out;
  for (size_t i = 0; i + 1 < lines.size(); i += 2) out.push_back(place_of(lines[i], lines[i + 1]));
  return out;
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
