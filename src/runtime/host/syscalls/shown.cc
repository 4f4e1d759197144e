#include "runtime/host/syscalls/shown.h"

#include <errno.h>
#include <sys/syscall.h>

#include "runtime/host/order/objects.h"
#include "runtime/host/stream.h"

namespace ana {

uint8_t g_shown[kMaxFollowed] = {0, 1, 2};

namespace {

bool is_followed(long fd) { return fd >= 0 && fd < static_cast<long>(kMaxFollowed); }

int of_copy(long fd) {
  Slot& slot = self();
  if (replaying()) return next_is(slot, kOpOutcome) ? static_cast<int>(get_value(slot, kOpOutcome)) : 0;
  int shown = is_followed(fd) ? g_shown[fd] : 0;
  if (shown) put_value(slot, kOpOutcome, shown);
  return shown;
}

}  // namespace

OutputGuard::OutputGuard(long fd, bool also) : held_(also) {
  if (is_standard_output(fd)) held_ = true;
  else held_ |= (shown_ = of_copy(fd)) != 0;
  if (held_) known_enter(WellKnown::kOutput);
  if (is_standard_output(fd)) shown_ = g_shown[fd];
}

OutputGuard::~OutputGuard() {
  if (held_) known_leave(WellKnown::kOutput);
}

void set_shown(long fd, int shown) {
  if (is_followed(fd)) g_shown[fd] = static_cast<uint8_t>(shown);
}

void clear_shown(unsigned first, unsigned last) {
  for (unsigned fd = first; fd <= last && fd < kMaxFollowed; ++fd) g_shown[fd] = 0;
}

// A pipe may take it in pieces.
void show(long standard, const char* data, uint64_t size) {
  DebugControl& debug = g_session->debug;
  if (g_session->forks_before) return;  // by its parent
  if (debug.enabled && ++debug.outputs <= debug.outputs_shown) return;
  while (size) {
    long n = raw(SYS_write, standard, data, size);
    if (n == -EINTR || n == -EAGAIN) continue;
    if (n <= 0) return;
    data += n;
    size -= static_cast<uint64_t>(n);
  }
}

}  // namespace ana
