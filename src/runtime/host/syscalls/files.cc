// Calls on files that need more than a row of the table.
#include <errno.h>
#include <sys/syscall.h>

#include "runtime/host/look.h"
#include "runtime/host/order/objects.h"
#include "runtime/host/relay.h"
#include "runtime/host/start.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/parts.h"
#include "runtime/host/syscalls/rows.h"
#include "runtime/host/syscalls/shown.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

// The bytes have been copied out of the program's memory, so that what is checked is what is written; without `data` they
// cannot be read, and the kernel says so. `writing` tells a thread that ends the program to wait for the log.
long write_bytes(long number, long fd, const char* data, uint64_t size, int shown) {
  Slot& slot = self();
  operation_phase(slot);  // the bytes have been read: from here on the program may change them
  uint32_t hash = data ? hash_bytes(data, size) : 0;
  if (replaying()) {
    if (shown) relay_show(slot);
    const ScheduledValue* value = next_value(slot, number);
    if (value->length == sizeof(hash) && memcmp(value_bytes(value), &hash, sizeof(hash)))
      fatal(ReportKind::kDivergedOutput, "", number);
    if (shown && data && value->result > 0) show(shown, data, value->result);
    return value->result;
  }
  __atomic_store_n(&slot.writing, 1, __ATOMIC_SEQ_CST);
  block_enter(slot);
  RelayPause pause(shown != 0);
  long result = raw_wait(SYS_write, fd, data, size);
  pause.end();
  block_exit(slot);
  pause.log(slot);
  put_value(slot, number, result, &hash, sizeof(hash));
  __atomic_store_n(&slot.writing, 0, __ATOMIC_RELEASE);
  return result;
}

// What a call copies from a file or a pipe to stdout or stderr is input, and then output.
long copy_to_shown(long number, long from, long* offset, long to, uint64_t size) {
  Slot& slot = self();
  constexpr uint64_t kMost = 64 * 1024;
  auto* data = static_cast<char*>(bounce_buffer(kMost));
  if (!data) return -ENOMEM;
  long result = 0;
  if (recording()) {
    if (size > kMost) size = kMost;
    block_enter(slot);
    result = offset ? raw_wait(SYS_pread64, from, data, size, *offset) : raw_wait(SYS_read, from, data, size);
    block_exit(slot);
    put_value(slot, number, result, data, result > 0 ? static_cast<uint32_t>(result) : 0);
  } else {
    result = get_value(slot, number, data, kMost);
  }
  operation_phase(slot);
  if (result > 0) {
    OutputGuard guard(to);
    for (long done = 0, n; done < result; done += n) {
      n = write_bytes(SYS_write, to, data + done, static_cast<uint64_t>(result - done), guard.shown());
      if (n < 0) return n;
    }
  }
  if (offset && result > 0) {
    long after = *offset + result;
    auto* bytes = reinterpret_cast<const char*>(&after);
    deliver(offset, bytes, sizeof(after));
  }
  return result;
}

// Gathers iovecs into one buffer, as far as they can be read; if there is nothing of them, there is no buffer. Returns the
// size, or a negative error.
long gather(const iovec* parts, long count, char*& data) {
  if (static_cast<uint64_t>(count) > kMaxParts) return -EINVAL;
  uint64_t total = 0;
  for (long i = 0; i < count; ++i) {
    if (static_cast<int64_t>(parts[i].iov_len) < 0) return -EINVAL;
    total += parts[i].iov_len < kMaxTransfer - total ? parts[i].iov_len : kMaxTransfer - total;
  }
  data = static_cast<char*>(bounce_buffer(total + 1));
  if (!data) return -ENOMEM;
  uint64_t at = 0;
  for (long i = 0; i < count && at < total; ++i) {
    uint64_t wanted = parts[i].iov_len < total - at ? parts[i].iov_len : total - at;
    uint64_t n = readable_bytes(parts[i].iov_base, wanted);
    if (n) {
      AnaRange range = read_range(parts[i].iov_base, n);
      operation_acquire(self(), &range, 1);
      memcpy(data + at, parts[i].iov_base, n);
      at += n;
      operation_phase(self());
    }
    if (n < wanted) {
      if (at) break;
      data = nullptr;
      return static_cast<long>(wanted);
    }
  }
  return static_cast<long>(at);
}

}  // namespace

uint64_t readable_bytes(const void* at, uint64_t bytes) {
  constexpr uint64_t kPage = 4096;
  auto first = reinterpret_cast<uint64_t>(at);
  if (first > ANA_ADDRESS_MASK || bytes > ANA_ADDRESS_MASK - first) return 0;
  if (bytes > kMaxTransfer) bytes = kMaxTransfer;
  for (uint64_t done = 0; done < bytes; done += kPage - (first + done) % kPage) {
    char byte;
    if (!ana_look(reinterpret_cast<const void*>(first + done), &byte, 1)) return done;
  }
  return bytes;
}

long special_write(long number, long* args) {
  OutputGuard guard(args[0]);
  auto size = static_cast<uint64_t>(args[2]);
  auto* from = reinterpret_cast<char*>(args[1]);
  uint64_t readable = readable_bytes(from, size);
  if (size && !readable) return write_bytes(number, args[0], nullptr, size, guard.shown());
  size = readable;
  char* data = size && size <= kMaxBounce ? static_cast<char*>(bounce_buffer(size)) : nullptr;
  if (!data) data = from;
  if (size) {
    AnaRange range = read_range(from, size);
    operation_acquire(self(), &range, 1);
    if (data != from) memcpy(data, from, size);
  }
  return write_bytes(number, args[0], data, size, guard.shown());
}

long special_writev(long number, long* args) {
  OutputGuard guard(args[0]);
  char* data = nullptr;
  long size = gather(reinterpret_cast<iovec*>(args[1]), args[2], data);
  return size < 0 ? size : write_bytes(number, args[0], data, static_cast<uint64_t>(size), guard.shown());
}

long special_readv(long number, long* args) {
  auto* parts = reinterpret_cast<iovec*>(args[1]);
  auto count = static_cast<uint64_t>(args[2]);
  if (count > kMaxParts) return -EINVAL;
  Slot& slot = self();
  uint64_t total = room_of(parts, count);
  auto* data = static_cast<char*>(bounce_buffer(total + 1));
  if (!data) return -ENOMEM;
  long result;
  if (recording()) {
    block_enter(slot);
    iovec one{data, total};
    result = raw_wait(number, args[0], &one, 1, args[3], args[4], args[5]);
    block_exit(slot);
    put_value(slot, number, result, data, result > 0 ? static_cast<uint32_t>(result) : 0);
  } else {
    result = get_value(slot, number, data, static_cast<uint32_t>(total));
  }
  if (result > 0) scatter(parts, count, data, static_cast<uint64_t>(result));
  return result;
}

long special_copy(long number, long* args) {
  bool sends = number == SYS_sendfile;
  long to = args[sends ? 0 : 2], from = args[sends ? 1 : 0], offset = args[sends ? 2 : 1];
  bool shown = OutputGuard(to).shown();  // not held while it waits for input
  if (shown) {
    auto size = static_cast<uint64_t>(args[sends ? 3 : 4]);
    return copy_to_shown(number, from, reinterpret_cast<long*>(offset), to, size);
  }
  return logged_call(sends ? rows::wait(rows::fixed(2, 8)) : rows::wait(rows::fixed(1, 8), rows::fixed(3, 8)), number,
                     args);
}

// /proc/self/exe is the program, not the host.
long special_readlink(long number, long* args) {
  long* path_and_on = number == SYS_readlinkat ? args + 1 : args;
  auto* to = reinterpret_cast<char*>(path_and_on[1]);
  if (equal(reinterpret_cast<char*>(path_and_on[0]), "/proc/self/exe")) {
    uint64_t n = length(program_path());
    if (n > static_cast<uint64_t>(path_and_on[2])) n = path_and_on[2];
    memcpy(to, program_path(), n);
    return static_cast<long>(n);
  }
  long result = recording() ? raw(number, args[0], args[1], args[2], args[3]) : 0;
  return logged_result(number, result, to, recording() ? (result > 0 ? result : 0) : path_and_on[2]);
}

}  // namespace ana
