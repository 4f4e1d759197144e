#include "cli/output.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace ana {

namespace {
constexpr auto kRefresh = std::chrono::milliseconds(100);
constexpr auto kFirstEstimate = std::chrono::seconds(1);
}

void say(const std::string& text) { fmt::print(stderr, "anaphora: {}\n", text); }

int fail(const Error& error, int status) {
  say(error.text);
  return status;
}

void print_json(const nlohmann::json& value) {
  fmt::print("{}\n", value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string human_bytes(uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    unit++;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string human_count(uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string human_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.2f} s", seconds);
  uint64_t whole = static_cast<uint64_t>(seconds);
  return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string quote_bytes(const uint8_t* bytes, size_t size, size_t limit) {
  size_t shown = std::min(size, limit);
  bool text = true;
  for (size_t i = 0; i < shown; i++) {
    uint8_t c = bytes[i];
    text &= (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || (c == 0 && i + 1 == size);
  }
  std::string out = text ? "\"" : "";
  for (size_t i = 0; i < shown; i++) {
    uint8_t c = bytes[i];
    if (!text) {
      out += fmt::format("{}{:02x}", i == 0 ? "" : " ", c);
    } else if (c == '\n' || c == '\t' || c == 0) {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\0";
    } else if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", static_cast<char>(c));
    } else {
      out += static_cast<char>(c);
    }
  }
  if (text) out += '"';
  if (shown < size) out += "...";
  return out;
}

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)),
      enabled_(::isatty(STDERR_FILENO) != 0),
      begun_(std::chrono::steady_clock::now()),
      next_(begun_ + kRefresh) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

void ProgressLine::update(uint64_t done, uint64_t total) {
  if (!enabled_ || std::chrono::steady_clock::now() < next_) return;
  next_ = std::chrono::steady_clock::now() + kRefresh;
  show(fmt::format("{} {}%", what_, total == 0 ? 100 : done * 100 / total));
}

void ProgressLine::estimate(uint64_t done, uint64_t total) {
  auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_ || now - begun_ < kFirstEstimate) return;
  next_ = now + kRefresh;
  double seconds = std::chrono::duration<double>(now - begun_).count();
  if (total == 0 || done == 0) return show(fmt::format("{}, {:.0f} s", what_, seconds));
  double left = seconds * static_cast<double>(total - std::min(done, total)) / static_cast<double>(done);
  show(fmt::format("{} {}%, about {} left", what_, done * 100 / total,
                   left < 120 ? fmt::format("{:.0f} s", left) : human_seconds(left)));
}

void ProgressLine::show(const std::string& text) {
  if (!enabled_) return;
  shown_ = true;
  fmt::print(stderr, "\r\033[Kanaphora: {}", text);
  fflush(stderr);
}

}  // namespace ana
