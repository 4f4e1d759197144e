// Messages with addresses and ancillary data.
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/parts.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

// What a message came with; its name, its ancillary data and its bytes follow in the log.
struct Received {
  uint32_t name, flags;  // `name`: as long as it was, which may be longer than what there was room for
  uint64_t control;
};

uint64_t name_bytes(const msghdr& message, const Received& received) {
  if (!message.msg_name) return 0;
  return received.name < message.msg_namelen ? received.name : message.msg_namelen;
}

// Into the program's memory, from what is logged, `bytes` of them.
void deliver_message(msghdr& message, const char* logged, uint64_t bytes) {
  const char* end = logged + bytes;
  Received received;
  memcpy(&received, logged, sizeof(received));
  logged += sizeof(received);
  deliver(message.msg_name, logged, name_bytes(message, received));
  deliver(message.msg_control, logged, received.control);
  scatter(message.msg_iov, message.msg_iovlen, logged, static_cast<uint64_t>(end - logged));
  msghdr changed = message;
  changed.msg_namelen = received.name;
  changed.msg_controllen = received.control;
  changed.msg_flags = static_cast<int>(received.flags);
  auto* from = reinterpret_cast<const char*>(&changed);
  deliver(&message, from, sizeof(changed));
}

}  // namespace

long special_recvmsg(long number, long* args) {
  auto& message = *reinterpret_cast<msghdr*>(args[1]);
  if (message.msg_iovlen > kMaxParts) return -EMSGSIZE;
  Slot& slot = self();
  if (replaying()) {
    const ScheduledValue* value = next_value(slot, number);
    if (value->length) deliver_message(message, static_cast<const char*>(value_bytes(value)), value->length);
    return value->result;
  }
  uint64_t room = room_of(message.msg_iov, message.msg_iovlen), names = message.msg_name ? message.msg_namelen : 0;
  uint64_t controls = message.msg_control ? message.msg_controllen : 0;
  auto* buffer = static_cast<char*>(bounce_buffer(sizeof(Received) + names + controls + room));
  if (!buffer) return -ENOMEM;
  char* name = buffer + sizeof(Received);
  char* control = name + names;
  iovec part{control + controls, room};
  msghdr mine{names ? name : nullptr, static_cast<socklen_t>(names), &part, 1, controls ? control : nullptr, controls, 0};
  block_enter(slot);
  long result = raw_wait(number, args[0], &mine, args[2]);
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
  auto bytes = static_cast<uint32_t>(end + kept - buffer);
  put_value(slot, number, result, buffer, bytes);
  deliver_message(message, buffer, bytes);
  return result;
}

// How much of each message was sent is written into the program's memory.
long special_sendmmsg(long number, long* args) {
  auto* messages = reinterpret_cast<mmsghdr*>(args[1]);
  Slot& slot = self();
  long result;
  uint64_t count = static_cast<uint32_t>(args[2]) < kMaxParts ? static_cast<uint32_t>(args[2]) : kMaxParts;
  auto* lengths = static_cast<uint32_t*>(bounce_buffer((count + 1) * sizeof(uint32_t)));
  if (!lengths) return -ENOMEM;
  if (recording()) {
    block_enter(slot);
    result = raw_wait(number, args[0], args[1], count, args[3]);
    block_exit(slot);
    for (long i = 0; i < result; ++i) lengths[i] = messages[i].msg_len;
    put_value(slot, number, result, lengths, static_cast<uint32_t>(result > 0 ? result * sizeof(uint32_t) : 0));
  } else {
    result = get_value(slot, number, lengths, static_cast<uint32_t>(count * sizeof(uint32_t)));
  }
  auto* from = reinterpret_cast<const char*>(lengths);
  for (long i = 0; i < result; ++i) deliver(&messages[i].msg_len, from, sizeof(uint32_t));
  return result;
}

}  // namespace ana
