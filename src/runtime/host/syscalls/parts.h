// Buffers of calls that take several: gathered and scattered by way of one of ours (dispatch.h: bounce_buffer).
#pragma once
#include <sys/uio.h>

#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"

namespace ana {

constexpr uint64_t kMaxBounce = 16 << 20;
constexpr uint64_t kMaxParts = 1024;
constexpr uint64_t kMaxTransfer = 0x7ffff000;  // the kernel's

// Of all parts together; larger transfers are cut, as the kernel may do.
inline uint64_t room_of(const iovec* parts, uint64_t count) {
  uint64_t total = 0;
  for (uint64_t i = 0; i < count; ++i) total += parts[i].iov_len;
  return total < kMaxBounce ? total : kMaxBounce;
}

// How many of the bytes can be read, page by page, from the first on: a call writes these, as it would by itself.
uint64_t readable_bytes(const void* at, uint64_t bytes);

// Into the program's memory, at a moment that is recorded. Moves `from` on.
inline void deliver(void* to, const char*& from, uint64_t bytes) {
  if (!bytes) return;
  Slot& slot = self();
  operation_phase(slot);
  AnaRange range = write_range(to, bytes);
  operation_acquire(slot, &range, 1);
  memcpy(to, from, bytes);
  from += bytes;
}

inline void scatter(const iovec* parts, uint64_t count, const char* from, uint64_t bytes) {
  for (uint64_t i = 0; i < count && bytes; ++i) {
    uint64_t n = parts[i].iov_len < bytes ? parts[i].iov_len : bytes;
    deliver(parts[i].iov_base, from, n);
    bytes -= n;
  }
}

}  // namespace ana
