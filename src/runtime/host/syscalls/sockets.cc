// Messages with addresses and ancillary data.
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

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

// Where a message is received: behind room for what is logged before it.
uint64_t room_for(const msghdr& message) {
  return sizeof(Received) + (message.msg_name ? message.msg_namelen : 0) +
         (message.msg_control ? message.msg_controllen : 0) + room_of(message.msg_iov, message.msg_iovlen);
}

msghdr in_buffer(const msghdr& message, char* buffer, iovec& part) {
  uint64_t names = message.msg_name ? message.msg_namelen : 0;
  uint64_t controls = message.msg_control ? message.msg_controllen : 0;
  char* name = buffer + sizeof(Received);
  part = {name + names + controls, room_of(message.msg_iov, message.msg_iovlen)};
  char* control = controls ? name + names : nullptr;
  return {names ? name : nullptr, static_cast<socklen_t>(names), &part, 1, control, controls, 0};
}

// Puts what was received together at `to`, which is not behind where it is. Returns where it ends.
char* pack(const msghdr& message, const msghdr& mine, uint64_t result, char* to) {
  Received received{mine.msg_namelen, static_cast<uint32_t>(mine.msg_flags), mine.msg_controllen};
  uint64_t names = name_bytes(message, received), room = mine.msg_iov->iov_len;
  memcpy(to, &received, sizeof(received));
  to += sizeof(received);
  memmove(to, mine.msg_name, names);
  memmove(to += names, mine.msg_control, received.control);
  to += received.control;
  uint64_t kept = result < room ? result : room;  // MSG_TRUNC says more
  memmove(to, mine.msg_iov->iov_base, kept);
  return to + kept;
}

// The messages of recvmmsg in the log: how long each was and how many bytes there are of it.
struct OneOfMany {
  uint32_t length, bytes;
};

void deliver_messages(mmsghdr* messages, long count, const char* logged) {
  for (long i = 0; i < count; ++i) {
    OneOfMany one;
    memcpy(&one, logged, sizeof(one));
    logged += sizeof(one);
    deliver_message(messages[i].msg_hdr, logged, one.bytes);
    logged += one.bytes;
    auto* from = reinterpret_cast<const char*>(&one.length);
    deliver(&messages[i].msg_len, from, sizeof(one.length));
  }
}

// Lays out as many messages as there is room for: headers, parts, then the messages. Returns how many, or an error.
long lay_out(const mmsghdr* messages, uint64_t count, mmsghdr*& mine) {
  uint64_t total = 0, fit = 0;
  for (; fit < count && fit < kMaxParts; ++fit) {
    const msghdr& message = messages[fit].msg_hdr;
    if (message.msg_iovlen > kMaxParts) return -EMSGSIZE;
    uint64_t bytes = sizeof(mmsghdr) + sizeof(iovec) + sizeof(OneOfMany) + room_for(message);
    if (fit && total + bytes > kMaxBounce) break;
    total += bytes;
  }
  mine = static_cast<mmsghdr*>(bounce_buffer(total + sizeof(timespec) + 1));
  if (!mine) return -ENOMEM;
  auto* parts = reinterpret_cast<iovec*>(mine + fit);
  auto* at = reinterpret_cast<char*>(parts + fit);
  for (uint64_t i = 0; i < fit; ++i) {
    mine[i] = {in_buffer(messages[i].msg_hdr, at + sizeof(OneOfMany), parts[i]), 0};
    at += sizeof(OneOfMany) + room_for(messages[i].msg_hdr);
  }
  return static_cast<long>(fit);
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
  auto* buffer = static_cast<char*>(bounce_buffer(room_for(message)));
  if (!buffer) return -ENOMEM;
  iovec part;
  msghdr mine = in_buffer(message, buffer, part);
  block_enter(slot);
  long result = raw_wait(number, args[0], &mine, args[2]);
  block_exit(slot);
  if (is_error(result)) {
    put_value(slot, number, result);
    return result;
  }
  auto bytes = static_cast<uint32_t>(pack(message, mine, static_cast<uint64_t>(result), buffer) - buffer);
  put_value(slot, number, result, buffer, bytes);
  deliver_message(message, buffer, bytes);
  return result;
}

// The time that is left is written, too; it comes first in the log.
long special_recvmmsg(long number, long* args) {
  auto* messages = reinterpret_cast<mmsghdr*>(args[1]);
  auto* limit = reinterpret_cast<timespec*>(args[4]);
  uint64_t times = limit ? sizeof(timespec) : 0;
  Slot& slot = self();
  if (replaying()) {
    const ScheduledValue* value = next_value(slot, number);
    auto* logged = static_cast<const char*>(value_bytes(value));
    if (value->length) deliver(limit, logged, times);
    if (value->length) deliver_messages(messages, value->result, logged);
    return value->result;
  }
  mmsghdr* mine;
  long count = lay_out(messages, static_cast<uint32_t>(args[2]), mine);
  long result = count;
  timespec left{};
  if (limit) left = *limit;
  if (count >= 0) {
    block_enter(slot);
    result = raw_wait(number, args[0], mine, count, args[3], limit ? &left : nullptr);
    block_exit(slot);
  }
  if (is_error(result)) {
    put_value(slot, number, result);
    return result;
  }
  // After the last header and part, where the messages begin: they only move towards the front.
  auto* log = reinterpret_cast<char*>(mine) + static_cast<uint64_t>(count) * (sizeof(mmsghdr) + sizeof(iovec));
  char* end = log;
  for (long i = 0; i < result; ++i) {
    char* begin = end;
    end = pack(messages[i].msg_hdr, mine[i].msg_hdr, mine[i].msg_len, begin + sizeof(OneOfMany));
    OneOfMany one{mine[i].msg_len, static_cast<uint32_t>(end - begin - sizeof(OneOfMany))};
    memcpy(begin, &one, sizeof(one));
  }
  memmove(log + times, log, static_cast<uint64_t>(end - log));
  memcpy(log, &left, times);
  put_value(slot, number, result, log, static_cast<uint32_t>(end - log + times));
  const char* from = log;
  deliver(limit, from, times);
  deliver_messages(messages, result, from);
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
