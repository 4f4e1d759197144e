// System calls about signals. What happens when one comes is in host/signals.
#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/objects.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/stepping.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/rows.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

constexpr uint64_t kSmallestStack = 2048;  // of the kernel

bool g_known[kSignals];  // the table of actions has what was inherited

// A signal that the runtime uses itself has no other handler.
bool is_reserved(long signal) { return signal == SIGTRAP && (stepping() || translating()); }

void learn_action(int signal) {
  if (g_known[signal]) return;
  g_known[signal] = true;
  KernelSigaction now{};
  if (recording()) raw(SYS_rt_sigaction, signal, nullptr, &now, 8);
  bool ignored = logged_result(SYS_rt_sigaction, now.handler == kIgnore, nullptr, 0);
  if (ignored) set_action(signal, {kIgnore, 0, nullptr, 0});
}

int signal_of(long number, const long* args) {
  bool has_thread = number == SYS_tgkill || number == SYS_rt_tgsigqueueinfo;
  return static_cast<int>(args[has_thread ? 2 : 1]);
}

bool is_to_self(const Slot& slot, long number, const long* args) {
  long me = slot.shared->status.tid;
  if (number == SYS_tgkill || number == SYS_rt_tgsigqueueinfo) return args[1] == me;
  return number == SYS_tkill && args[0] == me;
}

bool ends_program(const Slot& slot, int signal) {
  return signal > 0 && signal < kSignals && action_of(signal).handler == kDefault && ends_by_default(signal) &&
         !(g_signals[slot.id].mask & bit_of(signal));
}

}  // namespace

long special_sigaction(long, long* args) {
  long signal = args[0];
  if (is_reserved(signal)) return 0;
  auto* wanted = reinterpret_cast<const KernelSigaction*>(args[1]);
  auto* old = reinterpret_cast<KernelSigaction*>(args[2]);
  if (signal <= 0 || signal >= kSignals || (wanted && (signal == SIGKILL || signal == SIGSTOP))) return -EINVAL;
  KnownGuard ordered(WellKnown::kSignals);
  learn_action(static_cast<int>(signal));
  KernelSigaction before = action_of(static_cast<int>(signal));
  if (wanted) set_action(static_cast<int>(signal), *wanted);
  if (old) *old = before;
  return 0;
}

long special_sigprocmask(long, long* args) {
  Slot& slot = self();
  uint64_t old = g_signals[slot.id].mask, now = old;
  if (args[1]) {
    uint64_t set = *reinterpret_cast<uint64_t*>(args[1]);
    switch (args[0]) {
      case SIG_BLOCK: now |= set; break;
      case SIG_UNBLOCK: now &= ~set; break;
      case SIG_SETMASK: now = set; break;
      default: return -EINVAL;
    }
    set_mask(slot, now);
  }
  if (args[2]) *reinterpret_cast<uint64_t*>(args[2]) = old;
  return 0;
}

// Of signals that have come while they were blocked the kernel knows only those that it blocks for us.
long special_sigpending(long number, long* args) {
  uint64_t pending = 0;
  if (recording()) raw(number, &pending, sizeof(pending));
  pending |= g_signals[self().id].held;
  long result = logged_result(number, 0, &pending, sizeof(pending));
  AnaRange range = write_range(reinterpret_cast<void*>(args[0]), sizeof(pending));
  operation_acquire(self(), &range, 1);
  *reinterpret_cast<uint64_t*>(args[0]) = pending;
  return result;
}

long special_sigtimedwait(long number, long* args) {
  constexpr SyscallRow kRow = rows::wait(rows::fixed(1, sizeof(siginfo_t)));
  ThreadSignals& mine = g_signals[self().id];
  uint64_t come = recording() ? mine.held & *reinterpret_cast<uint64_t*>(args[0]) : 0;
  if (!come) return logged_call(kRow, number, args);
  int signal = __builtin_ctzll(come) + 1;
  mine.held &= ~bit_of(signal);
  auto* info = reinterpret_cast<siginfo_t*>(args[1]);
  if (info) {
    AnaRange range = write_range(info, sizeof(*info));
    operation_acquire(self(), &range, 1);
    *info = mine.info[signal];
  }
  put_value(self(), number, signal, info, info ? sizeof(*info) : 0);
  return signal;
}

// The kernel's alternate stack is the dispatch's; the program's is used when a handler is entered.
long special_sigaltstack(long, long* args) {
  DispatchedCall* call = current_call();
  stack_t& stack = g_signals[self().id].stack;
  auto base = reinterpret_cast<uint64_t>(stack.ss_sp);
  uint64_t at = call ? call->registers[REG_RSP] : reinterpret_cast<uint64_t>(&call);
  bool in_use = at > base && at <= base + stack.ss_size;
  stack_t before = stack;
  if (auto* wanted = reinterpret_cast<const stack_t*>(args[0])) {
    if (in_use) return -EPERM;
    if (wanted->ss_flags & ~SS_ONSTACK && wanted->ss_flags != SS_DISABLE) return -EINVAL;
    if (wanted->ss_flags == SS_DISABLE) {
      stack = {};
    } else {
      if (wanted->ss_size < kSmallestStack) return -ENOMEM;
      stack = *wanted;
    }
  }
  if (auto* old = reinterpret_cast<stack_t*>(args[1])) {
    *old = before;
    old->ss_flags = in_use ? SS_ONSTACK : before.ss_size ? 0 : SS_DISABLE;
  }
  return 0;
}

long special_sigreturn(long, long*) {
  DispatchedCall* call = current_call();
  if (!call) fatal(ReportKind::kUnsupportedFeature, "rt_sigreturn through syscall(2)");
  leave_handler(self(), *call->context);
  call->left = true;
  return 0;
}

// A signal with which a thread ends the program itself (raise, abort) happens in replay as well, when all others are
// where they were. Every other is sent in record only: what comes of it is in the log.
long special_kill(long number, long* args) {
  Slot& slot = self();
  int signal = signal_of(number, args);
  if (is_to_self(slot, number, args) && ends_program(slot, signal)) {
    logged_result(number, 0, nullptr, 0);
    if (signal == SIGABRT) recording() ? stop_others(slot) : enforce_others_end(slot);
    if (signal == SIGSYS) install_handler(signal, nullptr);
    return raw(SYS_tgkill, raw(SYS_getpid), raw(SYS_gettid), signal);
  }
  long result = recording() ? raw(number, args[0], args[1], args[2], args[3]) : 0;
  return logged_result(number, result, nullptr, 0);
}

}  // namespace ana
