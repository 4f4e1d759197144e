// Signals and the program's handlers.
//
// A signal that the thread causes itself by a fault enters its handler at the faulting instruction, in record and in
// replay. Any other may come at any moment: on_signal() only notes it and makes the thread look at its next point,
// where the handler is entered and the signal logged. Points (SignalPoint) are polls of instrumented code, system
// calls, before and after, and waits of library functions; replay enters the handler at the same count. Nothing comes
// in replay.
//
// The kernel's mask is the program's, and everything else is blocked while a signal waits for its point; faults and
// SIGSYS, which the dispatch uses, are never blocked: what the program blocks of them is held here. The host enters
// handlers itself: it puts a frame like the kernel's on the program's stack (frame.h), and rt_sigreturn, which is
// dispatched like every system call, comes back. The way back counts, so that what follows the handler has another
// count than what the handler did last.
//
// All functions are called by the thread concerned.
#pragma once
#include "runtime/host/kernel_sigaction.h"
#include "runtime/host/signals/frame.h"
#include "runtime/host/slot.h"

namespace ana {

constexpr int kSignals = 65;
constexpr uint64_t bit_of(int signal) { return 1ull << (signal - 1); }

// Faults must come through, and so must the dispatch.
constexpr uint64_t kFaults = bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) | bit_of(SIGILL) | bit_of(SIGTRAP);
constexpr uint64_t kNeverBlocked = kFaults | bit_of(SIGSYS);
inline bool is_fault_signal(long signal) {
  return signal > 0 && signal < kSignals && (kFaults & bit_of(static_cast<int>(signal)));
}

SignalHandler* const kDefault = nullptr;
SignalHandler* const kIgnore = reinterpret_cast<SignalHandler*>(1);
inline bool is_function(SignalHandler* handler) { return handler != kDefault && handler != kIgnore; }

struct ThreadSignals {
  uint64_t mask;               // the program's
  uint64_t held;               // signals that have come and were blocked before they were taken
  stack_t stack;               // the program's alternate stack; size 0: none
  const uint64_t* during;      // the mask of the wait that was interrupted, if it had one of its own
  SignalRecord* here;          // to be entered by the SIGSYS that the thread sends itself
  int here_signal;
  siginfo_t info[kSignals];    // of the signals that have come: SlotShared.signals and `held`
};
extern ThreadSignals g_signals[kMaxSlots];

// actions.cc: what the program wants to be done about each signal.
const KernelSigaction& action_of(int signal);
void set_action(int signal, const KernelSigaction& action);
bool ends_by_default(int signal);
// The signal's default action, which may not return.
void take_default(int signal);

// intake.cc
void signals_init();
void on_signal(int signal, siginfo_t* info, void* context);
// The mask of the program, and with it that of the kernel.
void set_mask(Slot& slot, uint64_t mask);
// What the kernel's mask has to be.
uint64_t kernel_mask(const Slot& slot);
// What the thread took from the process and has no use for any more goes back: it ends.
void give_back_signals(Slot& slot);

// delivery.cc
// Replay: the log has a signal for this point of the present count.
bool is_signal_logged(const Slot& slot, SignalPoint point);
// A handler is to be entered at this point of the present count.
inline bool is_signal_due(const Slot& slot, SignalPoint point) {
  if (!replaying()) return __builtin_expect(slot.shared->signals != 0, 0);
  return is_signal_logged(slot, point);
}
// Record: the thread is to look for signals at its next poll.
inline void look_for_signals(Slot& slot) {
  if (__builtin_expect(slot.shared->signals != 0, 0)) __atomic_store_n(&slot.shared->limit, 0, __ATOMIC_RELAXED);
}
// Takes the signal: 0 if it turns out that no handler is to be entered. `may_restart`: it interrupted a system call
// that is begun again if the handler was installed so.
int take_signal(Slot& slot, SignalPoint point, bool may_restart, SignalRecord& record);
// Enters the handler on the calling thread's own stack; returns when it has returned. False: there was none.
bool deliver_here(Slot& slot, SignalPoint point, bool may_restart = false, bool* restarts = nullptr);
// Changes the interrupted context so that it goes on in the handler, and from there back to what it is now.
void enter_handler(Slot& slot, KernelContext& user, int signal, SignalRecord& record);
// The same for a fault. False: the signal is blocked, or there is no room on the stack.
bool enter_fault_handler(Slot& slot, KernelContext& user, int signal, const siginfo_t& info);
// rt_sigreturn: takes the frame down and does not return, or has changed `user` to enter another handler first.
void leave_handler(Slot& slot, KernelContext& user);

}  // namespace ana
