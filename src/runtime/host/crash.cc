#include "runtime/host/crash.h"

#include <signal.h>
#include <sys/syscall.h>

#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/slot.h"

namespace ana {
namespace {

struct KernelSigaction {
  void (*handler)(int, siginfo_t*, void*);
  uint64_t flags;
  void (*restorer)();
  uint64_t mask;
};
constexpr uint64_t kSaRestorer = 0x04000000;

// Returning with the default action in place executes the same instruction again: the crash has its own registers.
void on_crash(int signal, siginfo_t*, void*) {
  Slot& slot = self();
  if (recording()) {
    stop_others(slot);
  } else if (g_session->end_signal != static_cast<uint32_t>(signal)) {
    enforce_end(slot);  // the recorded thread was stopped before it came so far
  } else {
    enforce_others_end(slot);
  }
  KernelSigaction action{nullptr, kSaRestorer, ana_signal_restorer, 0};
  raw(SYS_rt_sigaction, signal, &action, nullptr, 8);
}

}  // namespace

bool is_crash_handler(const void* handler) { return handler == reinterpret_cast<const void*>(on_crash); }

bool is_crash_signal(long signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

void install_crash_handler(long signal) {
  KernelSigaction action{on_crash, SA_SIGINFO | SA_NODEFER | SA_ONSTACK | kSaRestorer, ana_signal_restorer, 0};
  raw(SYS_rt_sigaction, signal, &action, nullptr, 8);
}

void crash_init() {
  for (long signal = 1; signal < SIGSYS; ++signal)
    if (is_crash_signal(signal)) install_crash_handler(signal);
}

}  // namespace ana
