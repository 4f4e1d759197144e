#include "runtime/host/crash.h"

#include "runtime/host/kernel_sigaction.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/references.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/outside.h"
#include "runtime/host/slot.h"
#include "runtime/host/stream.h"

namespace ana {

namespace {

[[noreturn]] void crashed_otherwise(const Slot& slot, const char* how) {
  fatal(ReportKind::kLeftover, how, slot.replay.edge_count - slot.replay.next_edge, peek_op(slot) != kNoMoreValues);
}

// A thread that crashes where it did in the recording has done all that is recorded of it.
void check_crash(const Slot& slot) {
  if (slot.replay.edge_count != slot.replay.next_edge || peek_op(slot) != kNoMoreValues)
    crashed_otherwise(slot, "it crashed before");
}

}  // namespace

// Returning with the default action in place executes the same instruction again: the crash has its own registers. A
// signal that was sent, as raise() does, does not come again by itself.
void on_crash(int signal, siginfo_t* info, void* context) {
  if (is_failed_look(context) || is_full_buffer(*info, context)) return;
  if (is_outside()) return install_handler(signal, nullptr);  // MPI crashes: what is recorded ends here
  Slot& slot = self();
  if (recording()) {
    stop_others(slot);
    slot.shared->status.state = static_cast<uint32_t>(SlotState::kCrashed);
  } else if (g_session->end_signal != static_cast<uint32_t>(signal)) {
    if (!is_at_end(slot)) crashed_otherwise(slot, "it crashed, which it did not in the recording");
    enforce_end(slot);  // the recorded thread was stopped before it came so far
  } else {
    check_crash(slot);
    enforce_others_end(slot);
    outside_before_end();
  }
  install_handler(signal, nullptr);
  if (info->si_code <= 0) raw(SYS_tgkill, raw(SYS_getpid), raw(SYS_gettid), signal);
}

bool is_crash_signal(long signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

void install_crash_handler(long signal) { install_handler(signal, on_crash); }

void crash_init() {
  for (long signal = 1; signal < SIGSYS; ++signal)
    if (is_crash_signal(signal)) install_crash_handler(signal);
}

}  // namespace ana
