// How the tool talks: messages on standard error with its name in front, numbers for people, progress on terminals.
#pragma once
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "trace/result.h"

namespace ana {

// "anaphora: <text>" on standard error.
void say(const std::string& text);
// The same for an error; returns `status`, for `return fail(...)`.
int fail(const Error& error, int status);

void print_json(const nlohmann::json& value);

std::string human_bytes(uint64_t bytes);    // 1.5 MiB
std::string human_count(uint64_t count);    // 1,234,567
std::string human_seconds(double seconds);  // 12.3 ms
// Bytes for a reader: printable text quoted, others in hexadecimal; at most `limit` bytes.
std::string quote_bytes(const uint8_t* bytes, size_t size, size_t limit);

// One line on standard error that is rewritten; nothing if that is not a terminal. Wiped out at the end.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  void update(uint64_t done, uint64_t total);
  // The same with the time that is left, once it can be guessed: after a second. `total` 0: nobody knows.
  void estimate(uint64_t done, uint64_t total);
  void show(const std::string& text);
  // Before anything else is written there.
  void clear();

 private:
  std::string what_;
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begun_, next_;
};

}  // namespace ana
