// Descriptors that are the stdout or the stderr with which the program was started: what is written to them is written
// again in replay. Known by following dup and close.
//
// 1 and 2 have a place in the order of outputs, so what they are is known in record and replay alike. Numbers above are
// given again by the kernel in an order that is not recorded; what they are is known in record only, and logged with the
// calls that use them, as an outcome, if they are shown.
#pragma once
#include <stdint.h>

#include "runtime/host_api.h"

namespace ana {

// Around what a system call does with `fd`, from its beginning: in the order of outputs if `fd` is shown or may become
// so, or if `also`.
class OutputGuard {
 public:
  explicit OutputGuard(long fd, bool also = false);
  ~OutputGuard();
  OutputGuard(const OutputGuard&) = delete;

  int shown() const { return shown_; }  // as 1 or 2, or 0: not at all

 private:
  int shown_ = 0;
  bool held_;
};

inline bool is_standard_output(long fd) { return fd == 1 || fd == 2; }
// `fd` is a new one, shown so; or gone: before it is closed, since others may be given the number at once.
void set_shown(long fd, int shown);
void clear_shown(unsigned first, unsigned last);

// Record: calls `then(fd, shown)` for all that are shown.
constexpr unsigned kMaxFollowed = 1024;
extern uint8_t g_shown[kMaxFollowed];
template <class Then>
void for_shown(Then then) {
  for (unsigned fd = 0; fd < kMaxFollowed; ++fd)
    if (g_shown[fd]) then(static_cast<long>(fd), int{g_shown[fd]});
}

// Replay: writes to stdout or stderr what was written there.
void show(long standard, const char* data, uint64_t size);

}  // namespace ana
