// The line to gdb: packets of its remote protocol ("$text#sum", acknowledged with "+" until that is switched off).
#pragma once
#include <optional>
#include <string>

#include "debug/replica.h"
#include "trace/unique_fd.h"

namespace ana::debug {

class Connection : public Interrupter {
 public:
  void set(UniqueFd fd) { fd_ = std::move(fd); }
  bool is_open() const { return open_ && fd_.valid(); }

  // The next packet; nothing when gdb has gone.
  std::optional<std::string> receive();
  void send(const std::string& text);
  // Text for the user; only while gdb waits for the program.
  void tell(const std::string& text);
  void stop_acknowledging() { acknowledges_ = false; }

  int fd() const override { return fd_.get(); }
  bool wants_interrupt() override;

 private:
  bool fill();
  UniqueFd fd_;
  bool open_ = true;
  bool acknowledges_ = true;
  std::string input_;
};

std::string to_hex(const std::string& bytes);
std::string from_hex(const std::string& digits);
// With the characters escaped that mean something in packets.
std::string escape(const std::string& bytes);

}  // namespace ana::debug
