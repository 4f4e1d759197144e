#include "runtime/host/syscalls/shown.h"

#include <stdint.h>

namespace ana {
namespace {

constexpr unsigned kMaxFollowed = 1024;
uint8_t g_shown[kMaxFollowed] = {0, 1, 2};

bool is_followed(long fd) { return fd >= 0 && fd < static_cast<long>(kMaxFollowed); }

}  // namespace

int shown_as(long fd) { return is_followed(fd) ? g_shown[fd] : 0; }
bool is_output(long fd) { return fd == 1 || fd == 2 || shown_as(fd); }

void shown_duplicate(long from, long to) {
  if (is_followed(to)) g_shown[to] = static_cast<uint8_t>(shown_as(from));
}

void shown_close(unsigned first, unsigned last) {
  for (unsigned fd = first; fd <= last && fd < kMaxFollowed; ++fd) g_shown[fd] = 0;
}

}  // namespace ana
