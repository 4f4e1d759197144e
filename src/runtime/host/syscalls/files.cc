// Calls on files that need more than a row of the table.
#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "runtime/host/order/objects.h"
#include "runtime/host/start.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/parts.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

bool is_shown(long fd) { return fd == 1 || fd == 2; }

// Replay writes again what was written to stdout and stderr; a pipe may take it in pieces.
void show(long fd, const char* data, uint64_t size) {
  while (size) {
    long n = raw(SYS_write, fd, data, size);
    if (n == -EINTR || n == -EAGAIN) continue;
    if (n <= 0) return;
    data += n;
    size -= static_cast<uint64_t>(n);
  }
}

// The bytes have been copied out of the program's memory, so that what is checked is what is written. `writing` tells a
// thread that ends the program to wait for the log.
long write_bytes(long number, long fd, const char* data, uint64_t size) {
  Slot& slot = self();
  operation_phase(slot);  // the bytes have been read: from here on the program may change them
  uint32_t hash = hash_bytes(data, size);
  if (replaying()) {
    const ScheduledValue* value = next_value(slot, number);
    if (value->length == sizeof(hash) && memcmp(value_bytes(value), &hash, sizeof(hash)))
      fatal(ReportKind::kDivergedOutput, "", number);
    if (is_shown(fd) && value->result > 0) show(fd, data, value->result);
    return value->result;
  }
  __atomic_store_n(&slot.writing, 1, __ATOMIC_SEQ_CST);
  block_enter(slot);
  long result = raw_wait(SYS_write, fd, data, size);
  block_exit(slot);
  put_value(slot, number, result, &hash, sizeof(hash));
  __atomic_store_n(&slot.writing, 0, __ATOMIC_RELEASE);
  return result;
}

long write_in_order(long number, long fd, const char* data, uint64_t size) {
  if (!is_shown(fd)) return write_bytes(number, fd, data, size);
  KnownGuard ordered(WellKnown::kOutput);
  return write_bytes(number, fd, data, size);
}

// Gathers iovecs into one buffer. Returns its size, or a negative error.
long gather(const iovec* parts, long count, char*& data) {
  if (static_cast<uint64_t>(count) > kMaxParts) return -EINVAL;
  uint64_t total = 0;
  for (long i = 0; i < count; ++i) total += parts[i].iov_len;
  if (total > kMaxBounce) return -EINVAL;
  data = static_cast<char*>(bounce_buffer(total + 1));
  if (!data) return -ENOMEM;
  uint64_t at = 0;
  for (long i = 0; i < count; ++i) {
    if (!parts[i].iov_len) continue;
    AnaRange range = read_range(parts[i].iov_base, parts[i].iov_len);
    operation_acquire(self(), &range, 1);
    memcpy(data + at, parts[i].iov_base, parts[i].iov_len);
    at += parts[i].iov_len;
    operation_phase(self());
  }
  return static_cast<long>(at);
}

}  // namespace

long special_write(long number, long* args) {
  auto size = static_cast<uint64_t>(args[2]);
  char* data = size && size <= kMaxBounce ? static_cast<char*>(bounce_buffer(size)) : nullptr;
  if (!data) data = reinterpret_cast<char*>(args[1]);
  if (size) {
    AnaRange range = read_range(reinterpret_cast<void*>(args[1]), size);
    operation_acquire(self(), &range, 1);
    if (data != reinterpret_cast<char*>(args[1])) memcpy(data, reinterpret_cast<void*>(args[1]), size);
  }
  return write_in_order(number, args[0], data, size);
}

long special_writev(long number, long* args) {
  char* data = nullptr;
  long size = gather(reinterpret_cast<iovec*>(args[1]), args[2], data);
  return size < 0 ? size : write_in_order(number, args[0], data, static_cast<uint64_t>(size));
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
    result = number == SYS_readv ? raw_wait(SYS_read, args[0], data, total)
                                 : raw_wait(SYS_pread64, args[0], data, total, args[3]);
    block_exit(slot);
    put_value(slot, number, result, data, result > 0 ? static_cast<uint32_t>(result) : 0);
  } else {
    result = get_value(slot, number, data, static_cast<uint32_t>(total));
  }
  if (result > 0) scatter(parts, count, data, static_cast<uint64_t>(result));
  return result;
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

long special_fcntl(long number, long* args) {
  bool writes_lock = args[1] == F_GETLK || args[1] == F_OFD_GETLK;
  bool blocks = args[1] == F_SETLKW || args[1] == F_OFD_SETLKW;
  Slot& slot = self();
  long result = 0;
  if (recording()) {
    if (blocks) block_enter(slot);
    result = (blocks ? ana_raw_wait : ana_raw_syscall)(number, args[0], args[1], args[2], 0, 0, 0);
    if (blocks) block_exit(slot);
  }
  return logged_result(number, result, reinterpret_cast<void*>(args[2]), writes_lock ? sizeof(struct flock) : 0);
}

long special_ioctl(long number, long* args) {
  uint32_t bytes;
  switch (args[1]) {
    case TCGETS: bytes = 36; break;
    case TIOCGWINSZ: bytes = 8; break;
    case FIONREAD: case TIOCGPGRP: bytes = 4; break;
    case TCSETS: case TCSETSW: case TCSETSF: case TIOCSWINSZ: case FIONBIO: case FIOCLEX: case FIONCLEX: bytes = 0; break;
    default: fatal(ReportKind::kUnsupportedSyscall, "ioctl request", number, args[1]);
  }
  long result = recording() ? raw(number, args[0], args[1], args[2]) : 0;
  return logged_result(number, result, reinterpret_cast<void*>(args[2]), bytes);
}

}  // namespace ana
