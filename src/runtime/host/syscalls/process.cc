// Threads, signals and what concerns the process itself.
#include <asm/prctl.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/host/crash.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/start.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/special.h"
#include "runtime/host/threads.h"

namespace ana {
namespace {

struct KernelSigaction {
  void* handler;
  uint64_t flags;
  void (*restorer)();
  uint64_t mask;
};
constexpr uint64_t kSaRestorer = 0x04000000;
constexpr uint64_t kSigsysBit = 1ull << (SIGSYS - 1);

bool waits(long futex_op) {
  switch (futex_op & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: case FUTEX_WAIT_BITSET: case FUTEX_LOCK_PI: case FUTEX_WAIT_REQUEUE_PI: return true;
  }
  return false;
}

long run_futex(Slot& slot, const long* args) {
  // The recorded thread never came back from here, or from somewhere before: neither need this one.
  if (replaying() && waits(args[1]) && is_at_end(slot)) enforce_end(slot);
  bool blocks = recording() && waits(args[1]);
  if (blocks) block_enter(slot);
  long result = raw(SYS_futex, args[0], args[1], args[2], args[3], args[4], args[5]);
  if (blocks) block_exit(slot);
  return result;
}

}  // namespace

long special_clone(long number, long* args) {
  DispatchedCall* call = current_call();
  if (!call) fatal(ReportKind::kUnsupportedFeature, "clone(2) through syscall(2)");
  return thread_clone(number, args, call->registers);
}

long special_exit(long, long* args) { thread_exit(args[0]); }
long special_exit_group(long, long* args) { program_exit(args[0]); }

// How often libc waits or wakes inside its own locks varies from run to run: not recorded. What the program itself asks
// for, by syscall(2) or with an instruction of its own, is an operation with a result.
long special_futex(long number, long* args) {
  Slot& slot = self();
  DispatchedCall* call = current_call();
  if (call && is_system_code(call->registers[REG_RIP])) return run_futex(slot, args);
  operation_begin(slot);
  long result;
  if (recording()) {
    result = run_futex(slot, args);
    put_value(slot, number, result);
  } else {
    result = get_value(slot, number);
  }
  operation_end(slot);
  return result;
}

long special_sched_yield(long number, long*) {
  if (recording()) yield_if_asked(self());
  return raw(number);
}

long special_set_tid_address(long number, long* args) {
  Slot& slot = self();
  slot.clear_tid = reinterpret_cast<int*>(args[0]);
  long result = raw(number, args[0]);
  slot.shared->status.tid = static_cast<uint32_t>(result);
  return logged_result(number, result, nullptr, 0);
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
    case PR_GET_NAME: {
      long result = recording() ? raw(number, args[0], args[1]) : 0;
      return logged_result(number, result, reinterpret_cast<void*>(args[1]), 16);
    }
    case PR_GET_DUMPABLE: case PR_GET_TIMERSLACK: case PR_CAPBSET_READ: case PR_GET_SECCOMP:
      return logged_result(number, recording() ? raw(number, args[0], args[1]) : 0, nullptr, 0);
  }
  fatal(ReportKind::kUnsupportedSyscall, "prctl option", number, args[0]);
}

// Handlers are the program's; only the signal of the dispatch is not, and the way back must be one that is let through.
long special_sigaction(long number, long* args) {
  if (args[0] == SIGSYS) return 0;
  auto* old = reinterpret_cast<KernelSigaction*>(args[2]);
  KernelSigaction action;
  auto* wanted = reinterpret_cast<const KernelSigaction*>(args[1]);
  if (wanted) {
    action = *wanted;
    action.flags |= kSaRestorer;
    action.restorer = ana_signal_restorer;
    action.mask &= ~kSigsysBit;
  }
  long result = raw(number, args[0], wanted ? &action : nullptr, args[2], args[3]);
  if (old && is_crash_handler(old->handler)) old->handler = nullptr;
  if (!is_error(result) && wanted && !wanted->handler && is_crash_signal(args[0])) install_crash_handler(args[0]);
  return result;
}

// The mask in force is the one that the dispatch returns to; SIGSYS must never be in it.
long special_sigprocmask(long, long* args) {
  DispatchedCall* call = current_call();
  if (!call) fatal(ReportKind::kUnsupportedFeature, "rt_sigprocmask through syscall(2)");
  uint64_t old = *call->signal_mask, now = old;
  if (args[1]) {
    uint64_t set = *reinterpret_cast<uint64_t*>(args[1]);
    switch (args[0]) {
      case SIG_BLOCK: now |= set; break;
      case SIG_UNBLOCK: now &= ~set; break;
      case SIG_SETMASK: now = set; break;
      default: return -EINVAL;
    }
    *call->signal_mask = now & ~kSigsysBit;
  }
  if (args[2]) *reinterpret_cast<uint64_t*>(args[2]) = old;
  return 0;
}

// The kernel's alternate stack is the dispatch's. A program that wants one for its handlers is told yes: handlers run
// on the dispatch's stack if they ask for SA_ONSTACK.
long special_sigaltstack(long, long* args) {
  if (args[1]) {
    auto* old = reinterpret_cast<stack_t*>(args[1]);
    *old = {};
    old->ss_flags = SS_DISABLE;
  }
  return 0;
}

// A signal to the thread itself (raise, abort) happens in replay as well, when all others are where they were.
long special_kill(long number, long* args) {
  Slot& slot = self();
  long signal = number == SYS_tgkill ? args[2] : args[1];
  if (recording()) {
    uint32_t tid = static_cast<uint32_t>(raw(SYS_gettid));
    bool to_self = number == SYS_tgkill ? args[1] == static_cast<long>(tid) : number == SYS_tkill && args[0] == static_cast<long>(tid);
    if (!to_self && signal) {
      bool to_process = number == SYS_kill && args[0] == raw(SYS_getpid);
      if (to_process || number != SYS_kill)
        fatal(ReportKind::kUnsupportedFeature, "a signal from one thread to another or to the process");
    }
    uint32_t how = to_self;
    put_value(slot, number, 0, &how, sizeof(how));
    if (signal == SIGABRT && to_self) stop_others(slot);
    return raw(number, args[0], args[1], args[2]);
  }
  uint32_t to_self = 0;
  get_value(slot, number, &to_self, sizeof(to_self));
  if (!to_self) return 0;
  if (signal == SIGABRT) enforce_others_end(slot);
  return raw(SYS_tgkill, raw(SYS_getpid), raw(SYS_gettid), signal);
}

}  // namespace ana
