// Asks the symbolizer of LLVM or binutils for lines of source. One is kept running for each module that is asked about: to
// start one takes longer than to answer. One thread of the tool uses it.
#pragma once
#include <stdint.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "trace/unique_fd.h"

namespace ana {

class Symbolizer {
 public:
  explicit Symbolizer(std::string module) : module_(std::move(module)) {}
  Symbolizer(const Symbolizer&) = delete;
  ~Symbolizer() { stop(); }

  // Pairs of lines as it prints them, a function and "file:line", innermost first; "??" is what it does not know. Empty if
  // there is no symbolizer, or no such file.
  std::vector<std::string> ask(uint64_t offset);

 private:
  bool start();
  void stop();
  // Nothing if it does not answer.
  std::optional<std::vector<std::string>> answer(uint64_t offset);
  std::optional<std::string> read_line();

  std::string module_;
  size_t tool_ = 0;  // of those there are, the one that is tried
  pid_t pid_ = -1;
  UniqueFd channel_;
  std::string unread_;
};

}  // namespace ana
