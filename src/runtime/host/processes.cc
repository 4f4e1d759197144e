#include "runtime/host/processes.h"

#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/host/crash.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/threads.h"
#include "runtime/host_api.h"

namespace ana {
namespace {

// The same bytes at the same address, but this process's own.
void make_private(uint64_t at, uint64_t bytes, uint64_t used) {
  long copy = raw(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (is_error(copy)) raw(SYS_exit_group, 127);
  memcpy(reinterpret_cast<void*>(copy), reinterpret_cast<void*>(at), used);
  raw(SYS_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
}

// The handlers are the kernel's business again.
void leave_signals(Slot& slot, KernelContext& user) {
  for (int signal = 1; signal < kSignals; ++signal) {
    const KernelSigaction& action = action_of(signal);
    if (is_function(action.handler)) raw(SYS_rt_sigaction, signal, &action, nullptr, 8);
    else if (is_crash_signal(signal) || signal == SIGSYS) install_handler(signal, nullptr);
  }
  const ThreadSignals& mine = g_signals[slot.id];
  user.mask = mine.mask;
  user.stack = mine.stack;
  if (!mine.stack.ss_size) user.stack.ss_flags = SS_DISABLE;
}

// In the child, which has this thread only, and no dispatch. Checks pass, polls are never due.
void leave_session(Slot& slot, KernelContext& user) {
  for (uint32_t i = 0, n = slots_used(); i < n; ++i)
    make_private(layout::kSlots + i * layout::kSlotStride, kSlotBytes, sizeof(SlotShared));
  make_private(layout::kSession, kSlotsOffset, kSlotsOffset);
  raw(SYS_close, g_session_fd);
  g_mode = Mode::kNone;
  reinterpret_cast<HostApi*>(layout::kHostApi)->mode = Mode::kNone;
  slot.shared->epoch = 0;
  slot.shared->limit = kNoLimit;
  slot.shared->signals = 0;
  slot.shared->call_stack = 0;
  leave_signals(slot, user);
}

}  // namespace

long process_clone(long number, uint64_t flags, uint64_t parent_tid, uint64_t child_tid, uint64_t tls) {
  Slot& slot = self();
  DispatchedCall* call = current_call();
  if (replaying()) return get_value(slot, number);
  flags &= ~static_cast<uint64_t>(CLONE_VM | CLONE_VFORK);
  ++g_session->processes_created;
  long result = raw(SYS_clone, flags, 0, parent_tid, child_tid, tls);
  if (result) {
    put_value(slot, number, result);
    return result;
  }
  leave_session(slot, *call->context);
  call->registers[REG_RAX] = 0;
  call->left = true;
  return 0;
}

void outside_begin() {
  if (recording()) ++g_session->processes_created;
  self().shared->call_stack = 0;
  raw(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
}

void outside_end() { thread_dispatch(); }

}  // namespace ana
