// Threads and what concerns the process itself.
#include <asm/prctl.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "runtime/host/order/dozing.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/order/serial.h"
#include "runtime/host/processes.h"
#include "runtime/host/relay.h"
#include "runtime/host/start.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/rows.h"
#include "runtime/host/syscalls/special.h"
#include "runtime/host/threads.h"

namespace ana {
namespace {

bool waits(long futex_op) {
  switch (futex_op & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: case FUTEX_WAIT_BITSET: case FUTEX_LOCK_PI: case FUTEX_WAIT_REQUEUE_PI: return true;
  }
  return false;
}

// The kernel changes the words of locks with priority inheritance, at moments that are not recorded.
bool inherits_priority(long futex_op) {
  switch (futex_op & FUTEX_CMD_MASK) {
    case FUTEX_LOCK_PI: case FUTEX_LOCK_PI2: case FUTEX_TRYLOCK_PI: case FUTEX_UNLOCK_PI: case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_CMP_REQUEUE_PI: return true;
  }
  return false;
}

// FUTEX_WAKE_OP changes a word as an atomic instruction would, so it is one more access to it.
long run_wake_op(long number, const long* args) {
  Slot& slot = self();
  auto* word = reinterpret_cast<uint32_t*>(args[4]);
  AnaRange range = write_range(word, sizeof(*word));
  operation_acquire(slot, &range, 1);
  if (replaying()) return get_value(slot, number, word, sizeof(*word));
  long result = raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
  put_value(slot, number, result, word, sizeof(*word));
  return result;
}

// One thread at a time: others go on instead. Who waits for a limited time has waited when they have.
long wait_in_turn(Slot& slot, const long* args) {
  auto* word = reinterpret_cast<const uint32_t*>(args[0]);
  auto value = static_cast<uint32_t>(args[2]);
  if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) return -EAGAIN;
  if (args[3]) {
    serial_yield(slot);
    return __atomic_load_n(word, __ATOMIC_ACQUIRE) == value ? -ETIMEDOUT : 0;
  }
  while (serial() && __atomic_load_n(word, __ATOMIC_ACQUIRE) == value) serial_wait_while(slot, word, value);
  return 0;
}

long run_futex(Slot& slot, const long* args, bool interruptible) {
  // The recorded thread never came back from here, or from somewhere before: neither need this one.
  if (replaying() && waits(args[1]) && is_at_end(slot)) enforce_end(slot);
  if (serial() && waits(args[1])) return wait_in_turn(slot, args);
  bool blocks = recording() && waits(args[1]);
  if (blocks) block_enter(slot);
  auto call = blocks && interruptible ? ana_raw_wait : ana_raw_syscall;
  long result = call(SYS_futex, args[0], args[1], args[2], args[3], args[4], args[5]);
  if (blocks) block_exit(slot);
  return result;
}

}  // namespace

long special_clone(long number, long* args) {
  DispatchedCall* call = current_call();
  if (!call) fatal(ReportKind::kUnsupportedFeature, "clone(2) through syscall(2)");
  if (number == SYS_fork || number == SYS_vfork) return process_clone(number, SIGCHLD, 0, 0, 0);
  return thread_clone(number, args, call->registers);
}

// If it succeeds, the recording ends here.
long special_execve(long number, long* args) {
  Slot& slot = self();
  if (replaying()) return get_value(slot, number);
  g_session->executed = 1;
  long& name = args[number == SYS_execve ? 0 : 1];
  if (names_program(reinterpret_cast<const char*>(name))) name = reinterpret_cast<long>(program_path());
  block_enter(slot);
  long result = raw(number, args[0], args[1], args[2], args[3], args[4]);
  block_exit(slot);
  g_session->executed = 0;
  put_value(slot, number, result);
  return result;
}

long special_exit(long, long* args) { thread_exit(args[0]); }
long special_exit_group(long, long* args) { program_exit(args[0]); }

// How often libc waits or wakes inside its own locks varies from run to run: not recorded. What the program itself asks
// for, by syscall(2) or with an instruction of its own, is an operation with a result.
long special_futex(long number, long* args) {
  Slot& slot = self();
  DispatchedCall* call = current_call();
  if (call && is_system_code(call->registers[REG_RIP])) {
    // A wait of one of our wrappers, which is an operation: a handler entered here is entered there in replay.
    long result = run_futex(slot, args, slot.in_wait);
    if (recording() && slot.in_wait && result == -EINTR) interrupt_call(slot, number, args, result, SignalPoint::kWait);
    return result;
  }
  if (inherits_priority(args[1])) fatal(ReportKind::kUnsupportedSyscall, "futex operation", number, args[1]);
  long result;
  do {
    operation_begin(slot);
    if ((args[1] & FUTEX_CMD_MASK) == FUTEX_WAKE_OP) {
      result = run_wake_op(number, args);
    } else if (recording()) {
      result = run_futex(slot, args, true);
      put_value(slot, number, result);
    } else {
      result = get_value(slot, number);
    }
    operation_end(slot);
  } while (interrupt_call(slot, number, args, result, SignalPoint::kAfter) && !call);
  return result;
}

// The recorder of a forked child wants to know how that ended, also if the program does not.
long special_wait4(long number, long* args) {
  uint32_t unasked = 0;
  bool asks = args[1] || !recording();
  long more[6];
  memcpy(more, args, sizeof(more));
  if (!asks) more[1] = reinterpret_cast<long>(&unasked);
  long result = asks ? logged_call(rows::wait(rows::fixed(1, 4), rows::fixed(3, 144)), number, args)
                     : logged_call(rows::wait(rows::fixed(3, 144)), number, more);
  if (result <= 0) return result;
  if (recording()) {
    auto status = *reinterpret_cast<const uint32_t*>(more[1]);
    if (WIFEXITED(status) || WIFSIGNALED(status)) note_reaped(result, status);
  }
  relay_catch_up(self());
  return result;
}

long special_waitid(long number, long* args) {
  long result = logged_call(rows::wait(rows::fixed(2, 128), rows::fixed(4, 144)), number, args);
  auto* info = reinterpret_cast<const siginfo_t*>(args[2]);
  if (!result && (!info || info->si_pid)) relay_catch_up(self());
  if (!recording() || result || !info || !info->si_pid || (args[3] & WNOWAIT)) return result;
  auto status = static_cast<uint32_t>(info->si_status);
  if (info->si_code == CLD_EXITED) note_reaped(info->si_pid, (status & 0xff) << 8);
  else if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED) note_reaped(info->si_pid, status & 0x7f);
  return result;
}

// Where a replayed thread has to wait, it does so anyway.
long special_sched_yield(long number, long*) {
  if (serial()) serial_yield(self());
  Slot& slot = self();
  if (replaying() || doze(slot)) return 0;
  yield_if_asked(slot);
  long result = raw(number);
  slot.idling.go_on(timestamp());
  return result;
}

long special_set_tid_address(long number, long* args) {
  Slot& slot = self();
  slot.clear_tid = reinterpret_cast<int*>(args[0]);
  long result = logged_result(number, raw(number, args[0]), nullptr, 0);
  slot.shared->status.tid = static_cast<uint32_t>(result);  // as the program knows it
  return result;
}

long special_arch_prctl(long number, long* args) {
  switch (args[0]) {
    case ARCH_SET_FS: case ARCH_GET_FS: {
      long result = raw(number, args[0], args[1]);
      // The main thread's pthread_t is where its TLS begins.
      if (args[0] == ARCH_SET_FS) self().pthread = static_cast<uint64_t>(args[1]);
      return result;
    }
    case ARCH_SET_GS: case ARCH_GET_GS: fatal(ReportKind::kUnsupportedFeature, "a program that uses the gs segment itself");
  }
  return -EINVAL;
}

long special_prctl(long number, long* args) {
  switch (args[0]) {
    case PR_SET_NAME: case PR_SET_PDEATHSIG: case PR_SET_DUMPABLE: case PR_SET_VMA: case PR_SET_THP_DISABLE:
    case PR_SET_TIMERSLACK:
      return logged_result(number, raw(number, args[0], args[1], args[2], args[3], args[4]), nullptr, 0);
    case PR_GET_NAME: return logged_call(rows::log(rows::fixed(1, 16)), number, args);
    case PR_GET_PDEATHSIG: case PR_GET_CHILD_SUBREAPER: case PR_GET_TSC:
      return logged_call(rows::log(rows::fixed(1, 4)), number, args);
    case PR_GET_TID_ADDRESS: return logged_call(rows::log(rows::fixed(1, 8)), number, args);
    case PR_GET_DUMPABLE: case PR_GET_TIMERSLACK: case PR_GET_THP_DISABLE: case PR_GET_SECCOMP:
    case PR_GET_NO_NEW_PRIVS: case PR_SET_NO_NEW_PRIVS: case PR_GET_KEEPCAPS: case PR_SET_KEEPCAPS:
    case PR_GET_SECUREBITS: case PR_SET_SECUREBITS: case PR_CAPBSET_READ: case PR_CAPBSET_DROP: case PR_CAP_AMBIENT:
    case PR_SET_CHILD_SUBREAPER: case PR_SET_PTRACER: case PR_MCE_KILL: case PR_MCE_KILL_GET:
    case PR_GET_SPECULATION_CTRL: case PR_SET_SPECULATION_CTRL: case PR_GET_IO_FLUSHER: case PR_SET_IO_FLUSHER:
      return logged_call(rows::log(), number, args);
  }
  fatal(ReportKind::kUnsupportedSyscall, "prctl option", number, args[0]);
}

}  // namespace ana
