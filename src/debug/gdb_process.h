// gdb as a child of the tool, connected to it, or whatever connects to a port. Used from one thread.
#pragma once
#include <sys/socket.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "debug/server.h"
#include "trace/manifest.h"
#include "trace/result.h"
#include "trace/unique_fd.h"

namespace ana::debug {

// A socket that gdb connects to: in a directory of our own, or a port of this machine.
class Door {
 public:
  Door() = default;
  Door(const Door&) = delete;
  ~Door();

  Status open(std::optional<uint16_t> port) { return port ? open_port(*port) : open_private(); }
  // For gdb's `target remote`.
  const std::string& address() const { return address_; }
  // Nothing if gdb has ended before it came.
  UniqueFd accept();

 private:
  Status open_private();
  Status open_port(uint16_t port);
  Status listen(int family, const sockaddr* to, socklen_t size);

  std::string directory_, address_;
  UniqueFd fd_;
};

// Where this tool's words for gdb are, seen from the directory of its parts.
std::string words_file(const std::string& parts);

// A recording that ends so is opened at its end.
bool is_crash(const ProgramEnd& end);

// Starts gdb by this command, or tells the user to (`waits`), and serves it until it has gone. Gives its exit status, or 0
// if it was somebody else's.
Result<int> serve_gdb(Server& server, Connection& connection, Door& door, const std::vector<std::string>& command,
                      bool waits, const std::function<void(const std::string&)>& say);

}  // namespace ana::debug
