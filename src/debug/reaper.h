// Waiting for children: threads that are traced, and the debugger that the tool has started. One for the whole tool,
// which has one thread; SIGCHLD is blocked but while it sleeps.
#pragma once
#include <sys/types.h>

#include <optional>

namespace ana::debug {

class Reaper {
 public:
  Reaper();
  Reaper(const Reaper&) = delete;

  // A child that is not traced: its end is remembered.
  void expect(pid_t child) { child_ = child; }
  std::optional<int> child_status() const { return status_; }
  bool wait_for_child();

  // A traced thread that has stopped or ended, or 0.
  pid_t poll(int& status);
  bool wait_for(pid_t tid, int& status);
  // Until a child has something to tell, `fd` is readable (true then) or the time is up; -1: no limit.
  bool sleep(int fd, int milliseconds);

 private:
  pid_t child_ = 0;
  std::optional<int> status_;
};

Reaper& reaper();

}  // namespace ana::debug
