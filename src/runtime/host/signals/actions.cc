#include <sys/syscall.h>

#include "runtime/host/crash.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/signals/signals.h"

namespace ana {
namespace {

KernelSigaction g_actions[kSignals];

void install_plain(int signal, SignalHandler* handler) {
  KernelSigaction action{handler, kSaRestorer, ana_sigaction_restorer, 0};
  raw(SYS_rt_sigaction, signal, &action, nullptr, 8);
}

// Faults come in replay as well; everything else is entered from the log, and what comes from outside is for the replay
// itself.
void install(int signal) {
  const KernelSigaction& wanted = g_actions[signal];
  if (signal == SIGSYS) return;  // the dispatch's, which hands over what is not its own
  if (is_function(wanted.handler) && (recording() || is_fault_signal(signal))) {
    uint64_t flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | (wanted.flags & (SA_NOCLDSTOP | SA_NOCLDWAIT));
    KernelSigaction action{on_signal, flags | kSaRestorer, ana_sigaction_restorer, ~kNeverBlocked};
    raw(SYS_rt_sigaction, signal, &action, nullptr, 8);
  } else if (wanted.handler == kIgnore) {
    install_plain(signal, kIgnore);
  } else if (is_crash_signal(signal)) {
    install_crash_handler(signal);
  } else {
    install_plain(signal, kDefault);
  }
}

}  // namespace

const KernelSigaction& action_of(int signal) { return g_actions[signal]; }

void set_action(int signal, const KernelSigaction& action) {
  g_actions[signal] = action;
  install(signal);
}

bool ends_by_default(int signal) {
  switch (signal) {
    case SIGCHLD: case SIGURG: case SIGWINCH: case SIGCONT:
    case SIGSTOP: case SIGTSTP: case SIGTTIN: case SIGTTOU: return false;
  }
  return true;
}

void take_default(int signal) {
  if (!ends_by_default(signal)) return;
  install_plain(signal, kDefault);
  uint64_t unblocked = bit_of(signal);
  raw(SYS_rt_sigprocmask, SIG_UNBLOCK, &unblocked, nullptr, 8);
  raw(SYS_tgkill, raw(SYS_getpid), raw(SYS_gettid), signal);
}

}  // namespace ana
