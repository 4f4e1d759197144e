// Calls that hand bytes to somebody outside other than write and writev (files.cc). A replay sends nothing, but has to
// come with the same bytes: their hash is logged, and compared.
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/host/stream.h"
#include "runtime/host/syscalls/parts.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

// Of the bytes as they are at a recorded moment, part by part.
uint32_t hash_parts(const iovec* parts, uint64_t count) {
  Slot& slot = self();
  uint32_t hash = 0;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t n = readable_bytes(parts[i].iov_base, parts[i].iov_len);
    if (!n) continue;
    AnaRange range = read_range(parts[i].iov_base, n);
    operation_acquire(slot, &range, 1);
    hash = hash * 31 + hash_bytes(parts[i].iov_base, n);
    operation_phase(slot);
  }
  return hash;
}

}  // namespace

long special_send(long number, long* args) {
  iovec one{reinterpret_cast<void*>(args[1]), static_cast<uint64_t>(args[2])};
  const iovec* parts = &one;
  uint64_t count = 1;
  if (number == SYS_sendmsg) {
    auto& message = *reinterpret_cast<const msghdr*>(args[1]);
    parts = message.msg_iov;
    count = message.msg_iovlen;
  } else if (number == SYS_pwritev || number == SYS_pwritev2) {
    parts = reinterpret_cast<const iovec*>(args[1]);
    count = static_cast<uint64_t>(args[2]);
  }
  if (count > kMaxParts) return number == SYS_sendmsg ? -EMSGSIZE : -EINVAL;
  uint32_t hash = hash_parts(parts, count);
  Slot& slot = self();
  if (replaying()) {
    const ScheduledValue* value = next_value(slot, number);
    if (value->length != sizeof(hash) || memcmp(value_bytes(value), &hash, sizeof(hash)))
      fatal(ReportKind::kDivergedOutput, "", number);
    return value->result;
  }
  block_enter(slot);
  long result = raw_wait(number, args[0], args[1], args[2], args[3], args[4], args[5]);
  block_exit(slot);
  put_value(slot, number, result, &hash, sizeof(hash));
  return result;
}

}  // namespace ana
