#include "debug/connection.h"

#include <errno.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <numeric>

namespace ana::debug {

namespace {

constexpr char kInterrupt = 3, kEscape = '}';
constexpr size_t kPiece = 16384;

uint8_t sum_of(const std::string& text) { return std::accumulate(text.begin(), text.end(), uint8_t{0}); }

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 0;
}

}  // namespace

bool Connection::fill() {
  char bytes[kPiece];
  ssize_t n;
  while ((n = ::recv(fd_.get(), bytes, sizeof bytes, 0)) < 0 && errno == EINTR) {
  }
  if (n <= 0) open_ = false;
  else input_.append(bytes, static_cast<size_t>(n));
  return n > 0;
}

std::optional<std::string> Connection::receive() {
  while (is_open()) {
    size_t begin = input_.find('$'), end = begin == std::string::npos ? begin : input_.find('#', begin);
    if (end == std::string::npos || end + 2 >= input_.size()) {
      if (!fill()) break;
      continue;
    }
    std::string text = input_.substr(begin + 1, end - begin - 1);
    uint8_t sum = static_cast<uint8_t>(digit(input_[end + 1]) << 4 | digit(input_[end + 2]));
    input_.erase(0, end + 3);
    bool fine = sum == sum_of(text);
    if (acknowledges_) ::send(fd_.get(), fine ? "+" : "-", 1, MSG_NOSIGNAL);
    if (!fine) continue;
    std::string plain;
    for (size_t i = 0; i < text.size(); i++) {
      if (text[i] == kEscape && i + 1 < text.size()) plain += static_cast<char>(text[++i] ^ 0x20);
      else plain += text[i];
    }
    return plain;
  }
  return std::nullopt;
}

void Connection::send(const std::string& text) {
  std::string packet = fmt::format("${}#{:02x}", text, sum_of(text));
  for (size_t sent = 0; sent < packet.size() && is_open();) {
    ssize_t n = ::send(fd_.get(), packet.data() + sent, packet.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) open_ = false;
    else sent += static_cast<size_t>(n);
  }
}

void Connection::tell(const std::string& text) { send("O" + to_hex(text)); }

bool Connection::wants_interrupt() {
  if (!fill()) return true;
  size_t at = input_.find(kInterrupt);
  if (at == std::string::npos) return false;
  input_.erase(at, 1);
  return true;
}

std::string to_hex(const std::string& bytes) {
  std::string text;
  for (char c : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return text;
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) bytes += static_cast<char>(digit(digits[i]) << 4 | digit(digits[i + 1]));
  return bytes;
}

std::string escape(const std::string& bytes) {
  std::string text;
  for (char c : bytes) {
    if (c == '$' || c == '#' || c == kEscape || c == '*') {
      text += kEscape;
      text += static_cast<char>(c ^ 0x20);
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace ana::debug
