#include "debug/reaper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "debug/tracee.h"

namespace ana::debug {

Reaper::Reaper() {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // it only ends sleeps
  ::sigaction(SIGCHLD, &action, nullptr);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

bool Reaper::wait_for_child() {
  int status;
  if (!status_ && child_ != 0 && debug::wait_for(child_, status)) status_ = status;
  return status_.has_value();
}

pid_t Reaper::poll(int& status) {
  for (;;) {
    pid_t got = ::waitpid(-1, &status, __WALL | WNOHANG);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    if (got != child_) return got;
    status_ = status;
  }
}

bool Reaper::wait_for(pid_t tid, int& status) { return debug::wait_for(tid, status); }

bool Reaper::sleep(int fd, int milliseconds) {
  sigset_t none;
  ::sigemptyset(&none);
  pollfd wanted{fd, POLLIN, 0};
  timespec limit{milliseconds / 1000, milliseconds % 1000 * 1000000L};
  return ::ppoll(&wanted, fd >= 0 ? 1 : 0, milliseconds < 0 ? nullptr : &limit, &none) > 0;
}

Reaper& reaper() {
  static Reaper one;
  return one;
}

}  // namespace ana::debug
