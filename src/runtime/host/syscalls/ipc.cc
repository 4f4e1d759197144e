// Control of System V message queues and semaphores. What is written depends on the command.
#include <errno.h>
#include <linux/ipc.h>
#include <linux/sem.h>
#include <sys/syscall.h>

#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/parts.h"
#include "runtime/host/syscalls/rows.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

constexpr uint16_t kQueueBytes = 120, kSemaphoresBytes = 104;  // struct msqid64_ds, struct semid64_ds
constexpr uint64_t kSetSize = 80;                              // offset of sem_nsems

// How many semaphores there are only the kernel knows.
long all_values(long number, long* args) {
  Slot& slot = self();
  auto* to = reinterpret_cast<uint16_t*>(args[3]);
  if (replaying()) {
    const ScheduledValue* value = next_value(slot, number);
    auto* bytes = static_cast<const char*>(value_bytes(value));
    deliver(to, bytes, value->length);
    return value->result;
  }
  char about[kSemaphoresBytes];
  long result = raw(number, args[0], 0, IPC_STAT, about);
  uint64_t count = 0;
  if (!is_error(result)) memcpy(&count, about + kSetSize, sizeof(count));
  auto* values = static_cast<char*>(bounce_buffer((count + 1) * sizeof(*to)));
  if (!values) result = -ENOMEM;
  if (!is_error(result)) result = raw(number, args[0], 0, GETALL, values);
  auto bytes = static_cast<uint32_t>(is_error(result) ? 0 : count * sizeof(*to));
  put_value(slot, number, result, values, bytes);
  const char* from = values;
  deliver(to, from, bytes);
  return result;
}

}  // namespace

long special_ipc_control(long number, long* args) {
  bool queue = number == SYS_msgctl;
  uint8_t pointer = queue ? 2 : 3;
  long command = args[queue ? 1 : 2] & ~IPC_64;
  switch (command) {
    case IPC_RMID: case IPC_SET: return logged_call(rows::log(), number, args);
    case IPC_STAT: {
      uint16_t bytes = queue ? kQueueBytes : kSemaphoresBytes;
      return logged_call(rows::log(rows::fixed(pointer, bytes)), number, args);
    }
    case GETVAL: case SETVAL: case GETPID: case GETNCNT: case GETZCNT: case SETALL:
      if (!queue) return logged_call(rows::log(), number, args);
      break;
    case GETALL:
      if (!queue) return all_values(number, args);
  }
  fatal(ReportKind::kUnsupportedSyscall, "command", number, static_cast<uint64_t>(command));
}

}  // namespace ana
