#include "cli/suppressions.h"

#include <errno.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ana {

namespace {

constexpr std::string_view kRace = "race:";

// As fnmatch() takes it: only * is special, and what is not anchored may stand anywhere.
std::string glob_of(std::string_view pattern) {
  bool at_start = pattern.starts_with('^'), at_end = pattern.ends_with('$');
  if (at_start) pattern.remove_prefix(1);
  if (at_end && !pattern.empty()) pattern.remove_suffix(1);
  std::string out = at_start ? "" : "*";
  for (char c : pattern) {
    if (c == '?' || c == '[' || c == '\\') out += '\\';
    out += c;
  }
  return at_end ? out : out + "*";
}

}  // namespace

Result<Suppressions> Suppressions::read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) {
    if (!file || file.peek() != EOF) return system_error("cannot read " + path, errno);
  }
  return parse(text.str(), path);
}

Result<Suppressions> Suppressions::parse(const std::string& text, const std::string& name) {
  Suppressions out;
  std::istringstream lines(text);
  std::string line;
  for (uint32_t number = 1; std::getline(lines, line); number++) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty() || line[0] == '#') continue;
    if (!line.starts_with(kRace) || line.size() == kRace.size())
      return Error{fmt::format("{}:{}: `{}` is no suppression; write `race:` and a pattern of a function, file or variable",
                               name, number, line)};
    out.patterns_.push_back(glob_of(std::string_view(line).substr(kRace.size())));
  }
  return out;
}

bool Suppressions::match(const std::vector<std::string>& names) const {
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return !name.empty() && ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    });
  });
}

}  // namespace ana
