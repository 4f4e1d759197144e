// Races that the user does not want to hear of, in the syntax of ThreadSanitizer: a line `race:PATTERN` each, where * stands
// for anything and ^ and $ for the ends of the name. A pattern is looked for in names of functions, files and variables.
// Lines that start with # are comments.
#pragma once
#include <string>
#include <vector>

#include "trace/result.h"

namespace ana {

class Suppressions {
 public:
  static Result<Suppressions> read(const std::string& path);
  static Result<Suppressions> parse(const std::string& text, const std::string& name);

  bool match(const std::vector<std::string>& names) const;

 private:
  std::vector<std::string> patterns_;
};

}  // namespace ana
