// What the kernel calls when a signal comes.
#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/host/crash.h"
#include "runtime/host/order/references.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"

// In raw_syscall.S: from where ana_raw_wait has looked for signals up to the end of its system call, and where it goes
// on if there was one.
extern "C" const char ana_wait_begin[], ana_wait_end[], ana_wait_interrupted[];

namespace ana {

ThreadSignals g_signals[kMaxSlots];

namespace {

// Of its own making, not sent.
bool is_fault(int signal, const siginfo_t& info) { return is_fault_signal(signal) && info.si_code > 0; }

// The program is to see where its own code faulted.
void hide_translation(KernelContext& user, siginfo_t& info) {
  uint64_t& pc = user.registers[REG_RIP];
  bool is_code = reinterpret_cast<uint64_t>(info.si_addr) == pc;
  pc = original_code(pc);
  if (is_code) info.si_addr = reinterpret_cast<void*>(pc);
}

}  // namespace

void signals_init() {
  uint64_t mask = 0;
  if (recording()) raw(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, 8);
  g_signals[0].mask = static_cast<uint64_t>(logged_result(SYS_rt_sigprocmask, static_cast<long>(mask), nullptr, 0));
}

uint64_t kernel_mask(const Slot& slot) {
  if (replaying()) return 0;
  return (slot.shared->signals ? ~0ull : g_signals[slot.id].mask) & ~kNeverBlocked;
}

void set_mask(Slot& slot, uint64_t mask) {
  ThreadSignals& mine = g_signals[slot.id];
  mask &= ~(bit_of(SIGKILL) | bit_of(SIGSTOP));
  if (replaying()) {
    mine.mask = mask;
    return;
  }
  uint64_t all = ~kNeverBlocked;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, 8);
  mine.mask = mask;
  uint64_t come = slot.shared->signals | mine.held;
  slot.shared->signals = come & ~mask;
  mine.held = come & mask;
  uint64_t now = kernel_mask(slot);
  raw(SYS_rt_sigprocmask, SIG_SETMASK, &now, nullptr, 8);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Slot& slot = self();
  auto& user = *static_cast<KernelContext*>(context);
  if (is_fault(signal, *info)) {
    if (is_failed_look(context) || is_full_buffer(*info, context)) return;
    hide_translation(user, *info);
    if (enter_fault_handler(slot, user, signal, *info)) return;
    on_crash(signal, info, context);
    user.registers[REG_RIP] = translated_code(user.registers[REG_RIP]);
    return;
  }
  if (replaying()) return;
  ThreadSignals& mine = g_signals[slot.id];
  if (!((slot.shared->signals | mine.held) & bit_of(signal))) mine.info[signal] = *info;
  if (mine.mask & kNeverBlocked & bit_of(signal)) {  // the kernel does not block them for us
    mine.held |= bit_of(signal);
    return;
  }
  slot.shared->signals |= bit_of(signal);
  __atomic_store_n(&slot.shared->limit, 0, __ATOMIC_RELAXED);
  uint64_t& pc = user.registers[REG_RIP];
  if (pc >= reinterpret_cast<uint64_t>(ana_wait_begin) && pc < reinterpret_cast<uint64_t>(ana_wait_end))
    pc = reinterpret_cast<uint64_t>(ana_wait_interrupted);
  user.mask = kernel_mask(slot);
}

// Those sent to this thread alone end with it.
void give_back_signals(Slot& slot) {
  uint64_t come = slot.shared->signals | g_signals[slot.id].held;
  slot.shared->signals = g_signals[slot.id].held = 0;
  for (int signal = 1; signal < kSignals; ++signal) {
    siginfo_t& info = g_signals[slot.id].info[signal];
    if ((come & bit_of(signal)) && info.si_code != SI_TKILL)
      raw(SYS_rt_sigqueueinfo, raw(SYS_getpid), signal, &info);
  }
}

}  // namespace ana
