// Signals. Those that a thread causes itself (crashes, raise, abort) happen again in replay at the same place. Those that
// come from outside may end the program or be waited for, but a handler for them would run at a moment that is not
// recorded: that is refused when it happens, not when the handler is installed, since most programs install some that
// never run.
#include <errno.h>
#include <sys/syscall.h>

#include "runtime/host/crash.h"
#include "runtime/host/kernel_sigaction.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/stepping.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

constexpr uint64_t bit_of(int signal) { return 1ull << (signal - 1); }
constexpr int kSignals = 65;
SignalHandler* const kDefault = nullptr;
SignalHandler* const kIgnore = reinterpret_cast<SignalHandler*>(1);

SignalHandler* g_handlers[kSignals];    // the program's, for which on_signal() and on_own_fault() stand
uint32_t g_raising[kMaxSlots];    // the signal that the thread is sending itself

void on_signal(int signal, siginfo_t* info, void* context) {
  if (g_raising[self().id] != static_cast<uint32_t>(signal))
    fatal(ReportKind::kUnsupportedFeature, "a signal from outside that the program handles itself", signal);
  g_handlers[signal](signal, info, context);
}

// The interrupted loop may have the count in a register, and does not know what the handler counted: it is made to look.
void on_own_fault(int signal, siginfo_t* info, void* context) {
  g_handlers[signal](signal, info, context);
  __atomic_store_n(&self().shared->limit, 0, __ATOMIC_RELAXED);
}

// Signals that the runtime uses itself: they are never blocked, and have no other handler.
bool is_reserved(long signal) { return signal == SIGSYS || (signal == SIGTRAP && stepping()); }
uint64_t without_reserved(uint64_t mask) { return mask & ~(bit_of(SIGSYS) | (stepping() ? bit_of(SIGTRAP) : 0)); }

bool is_ours(SignalHandler* handler) { return handler == on_signal || handler == on_own_fault; }
bool is_function(SignalHandler* handler) { return handler != kDefault && handler != kIgnore; }

long raise_here(Slot& slot, long signal) {
  g_raising[slot.id] = static_cast<uint32_t>(signal);
  long result = raw(SYS_tgkill, raw(SYS_getpid), raw(SYS_gettid), signal);
  g_raising[slot.id] = 0;
  return result;
}

}  // namespace

// Handlers are the program's; only the signal of the dispatch is not, and the way back must be one that is let through.
long special_sigaction(long number, long* args) {
  long signal = args[0];
  if (is_reserved(signal)) return 0;
  if (signal <= 0 || signal >= kSignals) return -EINVAL;
  KernelSigaction action{};
  auto* wanted = reinterpret_cast<const KernelSigaction*>(args[1]);
  auto* old = reinterpret_cast<KernelSigaction*>(args[2]);
  SignalHandler* before = g_handlers[signal];
  if (wanted) {
    action = *wanted;
    action.flags |= kSaRestorer;
    action.restorer = ana_signal_restorer;
    action.mask = without_reserved(action.mask);
    if (is_function(action.handler)) {
      g_handlers[signal] = action.handler;
      action.handler = is_crash_signal(signal) ? on_own_fault : on_signal;
    }
  }
  long result = raw(number, signal, wanted ? &action : nullptr, old, args[3]);
  if (old && is_crash_handler(reinterpret_cast<void*>(old->handler))) old->handler = kDefault;
  if (old && is_ours(old->handler)) old->handler = before;
  if (!is_error(result) && wanted && wanted->handler == kDefault && is_crash_signal(signal)) install_crash_handler(signal);
  return result;
}

// The mask in force is the one that the dispatch returns to.
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
    *call->signal_mask = without_reserved(now);
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

// A signal to the thread itself (raise, abort) happens in replay as well; if it ends the program, when all others are where
// they were. A signal to somebody else is sent in record only: who waits for it with sigwait() has it in the log.
long special_kill(long number, long* args) {
  Slot& slot = self();
  long signal = number == SYS_tgkill ? args[2] : args[1];
  if (replaying()) {
    uint32_t to_self = 0;
    long result = get_value(slot, number, &to_self, sizeof(to_self));
    if (!to_self) return result;
    if (signal == SIGABRT) enforce_others_end(slot);
    return raise_here(slot, signal);
  }
  long me = raw(SYS_gettid);
  uint32_t to_self = number == SYS_tgkill ? args[1] == me : number == SYS_tkill && args[0] == me;
  if (to_self) {
    put_value(slot, number, 0, &to_self, sizeof(to_self));
    if (signal == SIGABRT) stop_others(slot);
    return raise_here(slot, signal);
  }
  long result = raw(number, args[0], args[1], args[2]);
  put_value(slot, number, result, &to_self, sizeof(to_self));
  return result;
}

}  // namespace ana
