// Messages with addresses and ancillary data.
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

constexpr uint64_t kMaxBytes = 16 << 20;
constexpr uint64_t kMaxParts = 1024;

// What a message came with; its name, its ancillary data and its bytes follow in the log.
struct Received {
  uint32_t name, flags;  // `name`: as long as it was, which may be longer than what there was room for
  uint64_t control;
};

uint64_t room_for(const msghdr& message) {
  uint64_t total = 0;
  for (uint64_t i = 0; i < message.msg_iovlen; ++i) total += message.msg_iov[i].iov_len;
  return total < kMaxBytes ? total : kMaxBytes;
}

uint64_t name_bytes(const msghdr& message, const Received& received) {
  if (!message.msg_name) return 0;
  return received.name < message.msg_namelen ? received.name : message.msg_namelen;
}

void put(void* to, const char*& from, uint64_t bytes) {
  if (!bytes) return;
  Slot& slot = self();
  operation_phase(slot);
  AnaRange range = write_range(to, bytes);
  operation_acquire(slot, &range, 1);
  memcpy(to, from, bytes);
  from += bytes;
}

// Into the program's memory.
void deliver(msghdr& message, const char* logged, long result) {
  Received received;
  memcpy(&received, logged, sizeof(received));
  logged += sizeof(received);
  put(message.msg_name, logged, name_bytes(message, received));
  put(message.msg_control, logged, received.control);
  uint64_t left = result > 0 ? static_cast<uint64_t>(result) : 0;
  for (uint64_t i = 0; i < message.msg_iovlen && left; ++i) {
    uint64_t n = message.msg_iov[i].iov_len < left ? message.msg_iov[i].iov_len : left;
    put(message.msg_iov[i].iov_base, logged, n);
    left -= n;
  }
  operation_phase(self());
  AnaRange range = write_range(&message, sizeof(message));
  operation_acquire(self(), &range, 1);
  message.msg_namelen = received.name;
  message.msg_controllen = received.control;
  message.msg_flags = static_cast<int>(received.flags);
}

}  // namespace

long special_recvmsg(long number, long* args) {
  auto& message = *reinterpret_cast<msghdr*>(args[1]);
  if (message.msg_iovlen > kMaxParts) return -EMSGSIZE;
  Slot& slot = self();
  if (replaying()) {
    const ScheduledValue* value = next_value(slot, number);
    if (value->length) deliver(message, static_cast<const char*>(value_bytes(value)), value->result);
    return value->result;
  }
  uint64_t room = room_for(message), names = message.msg_name ? message.msg_namelen : 0;
  uint64_t controls = message.msg_control ? message.msg_controllen : 0;
  auto* buffer = static_cast<char*>(bounce_buffer(sizeof(Received) + names + controls + room));
  if (!buffer) return -ENOMEM;
  char* name = buffer + sizeof(Received);
  char* control = name + names;
  iovec part{control + controls, room};
  msghdr mine{names ? name : nullptr, static_cast<socklen_t>(names), &part, 1, controls ? control : nullptr, controls, 0};
  block_enter(slot);
  long result = raw(number, args[0], &mine, args[2]);
  block_exit(slot);
  if (is_error(result)) {
    put_value(slot, number, result);
    return result;
  }
  Received received{mine.msg_namelen, static_cast<uint32_t>(mine.msg_flags), mine.msg_controllen};
  memcpy(buffer, &received, sizeof(received));
  char* end = name + name_bytes(message, received);
  uint64_t kept = static_cast<uint64_t>(result) < room ? static_cast<uint64_t>(result) : room;  // MSG_TRUNC says more
  memmove(end, control, received.control);
  memmove(end += received.control, part.iov_base, kept);
  put_value(slot, number, result, buffer, static_cast<uint32_t>(end + kept - buffer));
  deliver(message, buffer, static_cast<long>(kept));
  return result;
}

// How much of each message was sent is written into the program's memory.
long special_sendmmsg(long number, long* args) {
  auto* messages = reinterpret_cast<mmsghdr*>(args[1]);
  Slot& slot = self();
  long result;
  auto* lengths = static_cast<uint32_t*>(bounce_buffer((static_cast<uint64_t>(args[2]) + 1) * sizeof(uint32_t)));
  if (!lengths) return -ENOMEM;
  if (recording()) {
    block_enter(slot);
    result = raw(number, args[0], args[1], args[2], args[3]);
    block_exit(slot);
    for (long i = 0; i < result; ++i) lengths[i] = messages[i].msg_len;
    put_value(slot, number, result, lengths, static_cast<uint32_t>(result > 0 ? result * sizeof(uint32_t) : 0));
  } else {
    result = get_value(slot, number, lengths, static_cast<uint32_t>(args[2] * sizeof(uint32_t)));
  }
  for (long i = 0; i < result; ++i) {
    operation_phase(slot);
    AnaRange range = write_range(&messages[i].msg_len, sizeof(uint32_t));
    operation_acquire(slot, &range, 1);
    messages[i].msg_len = lengths[i];
  }
  return result;
}

}  // namespace ana
