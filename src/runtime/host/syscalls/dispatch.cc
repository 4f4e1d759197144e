#include "runtime/host/syscalls/dispatch.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/host/kernel_sigaction.h"
#include "runtime/host/order/chaos.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/kept_files.h"
#include "runtime/host/syscalls/patches.h"
#include "runtime/host/syscalls/table.h"
#include "runtime/host/vdso.h"

namespace ana {
namespace {

constexpr int kDispatched = 2;  // si_code SYS_USER_DISPATCH

DispatchedCall* g_current[kMaxSlots];
struct Bounce {
  char* at;
  uint64_t bytes;
} g_bounce[kMaxSlots];

// The lengths that the program gives, for outputs that are measured by what is pointed to: no more is written.
struct Rooms {
  uint32_t of[kMaxOutputs] = {};

  Rooms(const SyscallRow& row, const long* args) {
    for (uint32_t i = 0; i < kMaxOutputs; ++i) {
      const Output& output = row.outputs[i];
      if (output.size == Output::kNone) break;
      long length = args[output.other];
      if (output.size == Output::kPointed && args[output.argument] && length)
        of[i] = *reinterpret_cast<uint32_t*>(length);
    }
  }
};

// `pointed`: the length that the call wrote, for outputs that are measured so.
uint64_t output_bytes(const Output& output, const long* args, long result, const void* pointed, uint32_t room) {
  auto other = static_cast<uint64_t>(args[output.other]);
  if (is_error(result)) return 0;
  switch (output.size) {
    case Output::kNone: return 0;
    case Output::kFixed: return output.bytes;
    case Output::kResult: {
      auto count = static_cast<uint64_t>(result);
      return (count < other ? count : other) * output.bytes;
    }
    case Output::kBeyond: return static_cast<uint64_t>(result) + output.bytes;
    case Output::kArgument: return other * output.bytes;
    case Output::kPages: return (other + 4095) / 4096;
    case Output::kBits: return (other + 63) / 64 * 8;
    case Output::kPointed: {
      if (!other) return 0;
      uint32_t written = *static_cast<const uint32_t*>(pointed);
      return written < room ? written : room;
    }
  }
  return 0;
}

// Interrupted sleeps write the time that is left although they fail, capget the version that it knows.
bool writes_on_error(long number, long result) {
  if (number == SYS_capget) return result == -EINVAL;
  return result == -EINTR && (number == SYS_nanosleep || number == SYS_clock_nanosleep);
}

// A call with one output, of at most as many bytes as the argument behind the pointer says, that goes through `bounce`.
long log_input(Slot& slot, const SyscallRow& row, long number, const long* args, char* bounce) {
  const Output& output = row.outputs[0];
  long real[6];
  __builtin_memcpy(real, args, sizeof(real));
  real[output.argument] = reinterpret_cast<long>(bounce);
  if (row.blocks) block_enter(slot);
  auto call = row.blocks ? ana_raw_wait : ana_raw_syscall;
  long result = call(number, real[0], real[1], real[2], real[3], real[4], real[5]);
  if (row.blocks) block_exit(slot);
  uint64_t bytes = output_bytes(output, args, result, nullptr, 0);
  if (bytes) {
    auto* to = reinterpret_cast<void*>(args[output.argument]);
    AnaRange range = write_range(to, bytes);
    operation_acquire(slot, &range, 1);
    memcpy(to, bounce, bytes);
  }
  put_value(slot, number, result, bounce, static_cast<uint32_t>(bytes));
  return result;
}

long log_call(const SyscallRow& row, long number, long* args) {
  Slot& slot = self();
  if (row.outputs[0].size == Output::kNone && !row.blocks) {  // as most calls
    long result = ana_raw_syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    put_value(slot, number, result);
    return result;
  }
  if (long kept; read_kept(slot, number, args, kept)) return kept;
  if (const long* buffer = args + row.outputs[0].argument; row.bounce && buffer[0] && buffer[1] > 0) {
    if (auto* bounce = static_cast<char*>(bounce_buffer(static_cast<uint64_t>(buffer[1]))))
      return log_input(slot, row, number, args, bounce);
  }
  Rooms rooms(row, args);
  if (row.blocks) block_enter(slot);
  auto call = row.blocks ? ana_raw_wait : is_clock(number) ? read_clock : ana_raw_syscall;
  long result = call(number, args[0], args[1], args[2], args[3], args[4], args[5]);
  if (row.blocks) block_exit(slot);

  long effect = writes_on_error(number, result) ? 0 : result;
  AnaRange ranges[kMaxOutputs];
  uint32_t n = 0;
  uint64_t total = 0;
  for (uint32_t i = 0; i < kMaxOutputs; ++i) {
    const Output& output = row.outputs[i];
    if (output.size == Output::kNone) break;
    if (!args[output.argument]) continue;
    uint64_t bytes = output_bytes(output, args, effect, reinterpret_cast<void*>(args[output.other]), rooms.of[i]);
    if (bytes) ranges[n++] = write_range(reinterpret_cast<void*>(args[output.argument]), bytes);
    total += bytes;
  }
  if (!total) {
    put_value(slot, number, result);
    return result;
  }
  operation_acquire(slot, ranges, n);
  if (n == 1) {
    put_value(slot, number, result, reinterpret_cast<void*>(ranges[0].first & ~ANA_RANGE_WRITE), static_cast<uint32_t>(total));
    return result;
  }
  auto* all = static_cast<char*>(bounce_buffer(total));
  uint64_t at = 0;
  for (uint32_t i = 0; i < n; ++i) {
    uint64_t from = ranges[i].first & ~ANA_RANGE_WRITE, bytes = ranges[i].last - from + 1;
    memcpy(all + at, reinterpret_cast<void*>(from), bytes);
    at += bytes;
  }
  put_value(slot, number, result, all, static_cast<uint32_t>(total));
  return result;
}

// The sizes of the outputs may depend on outputs (accept's address length), so the recorded sizes are found again from
// the last one to the first: lengths follow the buffers that they measure.
long replay_call(const SyscallRow& row, long number, long* args) {
  Slot& slot = self();
  if (long kept; replay_kept(slot, number, args, kept)) return kept;
  const ScheduledValue* value = next_value(slot, number);
  auto* bytes = static_cast<const char*>(value_bytes(value));
  if (!value->length) return value->result;
  long effect = writes_on_error(number, value->result) ? 0 : value->result;
  Rooms rooms(row, args);
  const char* part[kMaxOutputs + 1];
  const char* end = part[kMaxOutputs] = bytes + value->length;
  for (int i = kMaxOutputs - 1; i >= 0; --i) {
    const Output& output = row.outputs[i];
    part[i] = end;
    if (output.size == Output::kNone || !args[output.argument]) continue;
    const void* pointed = reinterpret_cast<void*>(args[output.other]);
    for (int k = i + 1; k < static_cast<int>(kMaxOutputs); ++k)
      if (row.outputs[k].argument == output.other && part[k] != part[k + 1]) pointed = part[k];
    uint64_t size = output_bytes(output, args, effect, pointed, rooms.of[i]), left = end - bytes;
    part[i] = end -= size < left ? size : left;
  }
  if (end != bytes) fatal(ReportKind::kDivergedOutput, "another amount of input", number);
  AnaRange ranges[kMaxOutputs];
  uint32_t n = 0;
  for (uint32_t i = 0; i < kMaxOutputs; ++i)
    if (uint64_t size = part[i + 1] - part[i])
      ranges[n++] = write_range(reinterpret_cast<void*>(args[row.outputs[i].argument]), size);
  operation_acquire(slot, ranges, n);
  for (uint32_t i = 0; i < kMaxOutputs; ++i)
    memcpy(reinterpret_cast<void*>(args[row.outputs[i].argument]), part[i], part[i + 1] - part[i]);
  return value->result;
}

void run_raw(uint64_t* registers) {
  registers[REG_RAX] = static_cast<uint64_t>(raw(static_cast<int>(registers[REG_RAX]), registers[REG_RDI],
                                                 registers[REG_RSI], registers[REG_RDX], registers[REG_R10],
                                                 registers[REG_R8], registers[REG_R9]));
}

long run_call(DispatchedCall& call) {
  uint64_t* registers = call.registers;
  long args[6] = {static_cast<long>(registers[REG_RDI]), static_cast<long>(registers[REG_RSI]),
                  static_cast<long>(registers[REG_RDX]), static_cast<long>(registers[REG_R10]),
                  static_cast<long>(registers[REG_R8]),  static_cast<long>(registers[REG_R9])};
  DispatchedCall*& current = g_current[self().id];
  current = &call;
  long result = system_call(static_cast<int>(registers[REG_RAX]), args, registers);
  current = nullptr;
  return result;
}

// A patched call gets the whole context of the program. The host uses general registers only, so the vector registers
// that the kernel saves here are the program's.
[[noreturn]] void go_on_with_context(DispatchedCall& call) {
  call.wants_context = true;
  for (;;) raw(SYS_tgkill, raw(SYS_getpid), raw(SYS_gettid), SIGSYS);
}

bool adopt_patched(Slot& slot, KernelContext& user) {
  DispatchedCall*& call = g_current[slot.id];
  if (!call || !call->wants_context) return false;
  memcpy(user.registers, call->registers, kSavedRegisters * sizeof(user.registers[0]));
  call = nullptr;
  return true;
}

void on_sigsys(int signal, siginfo_t* info, void* context) {
  auto& user = *static_cast<KernelContext*>(context);
  Slot& slot = self();
  bool patched = false;
  if (info->si_code != kDispatched) {
    patched = adopt_patched(slot, user);
    ThreadSignals& mine = g_signals[slot.id];
    SignalRecord* here = mine.here;
    mine.here = nullptr;  // another may come
    if (here) return enter_handler(slot, user, mine.here_signal, *here);
    if (!patched) return on_signal(signal, info, context);  // the program's own
  }
  user.registers[REG_RIP] = original_code(user.registers[REG_RIP]);
  DispatchedCall call{&user, user.registers, false, false};
  if (is_vdso(user.registers[REG_RIP])) return run_raw(user.registers);
  long result = run_call(call);
  if (!call.left) {
    user.registers[REG_RAX] = static_cast<uint64_t>(result);
    user.mask = kernel_mask(slot);
  }
  if (patched) user.registers[REG_RIP] = continuation(user.registers[REG_RIP]);
  user.registers[REG_RIP] = translated_code(user.registers[REG_RIP]);
}

// Calls that are not begun again after a handler, however it was installed: signal(7).
bool may_restart(long number, const long* args) {
  switch (number) {
    case SYS_pause: case SYS_rt_sigsuspend: case SYS_rt_sigtimedwait: case SYS_nanosleep: case SYS_clock_nanosleep:
    case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6:
    case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_epoll_pwait2: return false;
    case SYS_futex: return !args[3];
  }
  return true;
}

// The mask that a call waits with, if it has one of its own.
const uint64_t* mask_during(long number, const long* args) {
  long at = 0;
  switch (number) {
    case SYS_rt_sigsuspend: at = args[0]; break;
    case SYS_ppoll: at = args[3]; break;
    case SYS_epoll_pwait: case SYS_epoll_pwait2: at = args[4]; break;
    case SYS_pselect6: at = args[5] ? *reinterpret_cast<long*>(args[5]) : 0; break;
  }
  return reinterpret_cast<const uint64_t*>(at);
}

// Calls of which there may be a different number in replay: they are not operations.
bool is_uncounted(long number) {
  switch (number) {
    case SYS_futex:
    case SYS_sched_yield:
    case SYS_rt_sigreturn:
    case SYS_exit:
    case SYS_exit_group: return true;
    // A thread's first count is that of its start (threads.cc), before which the C library sets its mask.
    case SYS_rt_sigprocmask: return self().shared->count == self().start_count;
  }
  return false;
}

// What the C library asks before it makes a thread whose scheduling the program has chosen in part. It does not ask for
// what it knows from earlier, and in a replay, which runs no call about scheduling (interpose/thread_facts.cc), that is
// less. It only hands the answers to the kernel: they are no inputs. (Earlier versions logged them.)
bool is_for_new_thread(const Slot& slot, long number) {
  if (number != SYS_sched_getscheduler && number != SYS_sched_getparam) return false;
  if (slot.pending_slot < 0 || slot.sections == 0) return false;  // sections: else it is one that never came to be
  return recording() || peek_op(slot) != static_cast<uint32_t>(number);
}

}  // namespace

bool enter_due_handler(Slot& slot, long number, const long* args, long result, SignalPoint point) {
  bool interrupted = result == -EINTR;
  // Library code in a section is in the middle of something, unless it cannot go on without the handler.
  if (recording() && slot.sections && !interrupted) return false;
  if (interrupted) g_signals[slot.id].during = mask_during(number, args);
  bool again = point == SignalPoint::kBefore, restarts = interrupted && may_restart(number, args);
  DispatchedCall* call = current_call();
  if (!call) return deliver_here(slot, point, restarts, &restarts) && (again || restarts);
  SignalRecord record;
  int signal = take_signal(slot, point, restarts, record);
  if (!signal) {
    g_signals[slot.id].during = nullptr;
    if (!call->context) set_mask(slot, g_signals[slot.id].mask);  // nothing waits any more
    return false;
  }
  again |= record.restarts != 0;
  if (again) call->registers[REG_RIP] -= kSyscallBytes;
  call->registers[REG_RAX] = static_cast<uint64_t>(again ? number : result);
  if (!call->context) {
    g_signals[slot.id].here = &record;
    g_signals[slot.id].here_signal = signal;
    go_on_with_context(*call);
  }
  enter_handler(slot, *call->context, signal, record);
  return call->left = true;
}

long system_call(long number, long* args, uint64_t* registers) {
  const SyscallRow& row = syscall_row(number);
  if (row.kind == SyscallRow::kRefuse) {
    fatal(ReportKind::kUnsupportedSyscall, "", number, registers ? registers[REG_RIP] : 0);
  }
  if (row.kind == SyscallRow::kAnswer) return row.answer;
  if (row.kind == SyscallRow::kRun && !row.special)
    return raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
  if (row.special && is_uncounted(number)) return row.special(number, args);
  Slot& slot = self();
  if (is_for_new_thread(slot, number)) return recording() ? raw(number, args[0], args[1]) : 0;
  long result;
  do {
    operation_begin(slot);
    result = 0;
    if (interrupt_call(slot, number, args, 0, SignalPoint::kBefore)) continue;
    chaos_operation(slot);
    result = row.special ? row.special(number, args) : logged_call(row, number, args);
    operation_end(slot);
    take_pins(slot);
    if (!interrupt_call(slot, number, args, result, SignalPoint::kAfter)) break;
  } while (!registers);
  return result;
}

long direct_system_call(long number, long a, long b, long c, long d, long e, long f) {
  long args[6] = {a, b, c, d, e, f};
  return system_call(number, args, nullptr);
}

DispatchedCall* current_call() { return g_current[self().id]; }
void forget_call() { g_current[self().id] = nullptr; }

long logged_call(const SyscallRow& row, long number, long* args) {
  return recording() ? log_call(row, number, args) : replay_call(row, number, args);
}

long logged_result(long number, long result, void* to, uint32_t length) {
  Slot& slot = self();
  if (recording()) {
    put_value(slot, number, result, to, is_error(result) ? 0 : length);
    return result;
  }
  return get_value(slot, number, to, length);
}

void* bounce_buffer(uint64_t size) {
  Bounce& bounce = g_bounce[self().id];
  if (size > bounce.bytes) {
    if (bounce.at) raw(SYS_munmap, bounce.at, bounce.bytes);
    bounce = {};
    uint64_t bytes = align_up(size, 64 * 1024);
    long at = raw(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (is_error(at)) return nullptr;
    bounce = {reinterpret_cast<char*>(at), bytes};
  }
  return bounce.at;
}

// From patched_call.S.
extern "C" __attribute__((used)) long ana_on_patched_call(uint64_t* registers) {
  DispatchedCall call{nullptr, registers, false, false};
  if (needs_context(static_cast<int>(registers[REG_RAX]))) {
    g_current[self().id] = &call;
    go_on_with_context(call);
  }
  return run_call(call);
}

void dispatch_init() { install_handler(SIGSYS, on_sigsys); }

}  // namespace ana
