#include "runtime/host/processes.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/host/crash.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/objects.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/relay.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/threads.h"
#include "runtime/host_api.h"

namespace ana {
namespace {

constexpr int kAnswerMilliseconds = 10, kAnswerTries = 1000;

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
  // Not slots_used(): the parent goes on meanwhile, and may have counted slots there that are not mapped here.
  uint32_t used = 0;
  for (uint32_t i = 0; i < kMaxSlots; ++i) {
    if (!g_slots[i].shared) continue;
    make_private(layout::kSlots + i * layout::kSlotStride, kSlotBytes, sizeof(SlotShared));
    used = i + 1;
  }
  make_private(layout::kSession, kSlotsOffset, kSlotsOffset);
  g_session->slots_used = used;
  raw(SYS_close, g_session_fd);
  g_mode = Mode::kNone;
  reinterpret_cast<HostApi*>(layout::kHostApi)->mode = Mode::kNone;
  slot.shared->epoch = 0;
  slot.shared->limit = kNoLimit;
  slot.shared->signals = 0;
  slot.shared->call_stack = 0;
  leave_signals(slot, user);
}

// Reached by those who fork one after the other: all others are frozen.
struct NewSession {
  long fd = -1;
  SessionHeader* header = nullptr;
  uint64_t bytes = 0;
};

SlotShared& slot_of(const NewSession& session, uint32_t id) {
  return *reinterpret_cast<SlotShared*>(reinterpret_cast<uint64_t>(session.header) + kSlotsOffset + id * kSlotBytes);
}

bool ask_for_recorder(uint32_t fd) {
  ForkRequest& fork = g_session->fork;
  auto asked = static_cast<uint32_t>(ForkState::kAsked);
  fork.descriptor = fd;
  __atomic_store_n(&fork.state, asked, __ATOMIC_SEQ_CST);
  ring_doorbell();
  timespec limit{0, kAnswerMilliseconds * 1'000'000};
  for (int n = 0; n < kAnswerTries && __atomic_load_n(&fork.state, __ATOMIC_SEQ_CST) == asked; ++n)
    raw(SYS_futex, &fork.state, FUTEX_WAIT, asked, &limit);
  constexpr auto kRefused = static_cast<uint32_t>(ForkState::kRefused);
  __atomic_compare_exchange_n(&fork.state, &asked, kRefused, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&fork.state, __ATOMIC_SEQ_CST) == static_cast<uint32_t>(ForkState::kGranted);
}

void fill_slot(const Slot& slot, SlotShared& to) {
  const SlotShared& from = *slot.shared;
  memcpy(&to, &from, sizeof(SlotShared));
  const SlotStatus& now = from.status;
  SlotStatus fresh{};
  fresh.state = now.state;
  fresh.tid = now.tid;
  fresh.ordinal = now.ordinal;
  to.status = fresh;
  to.head = to.tail = slot.stream.head;
  bool waits = now.state == static_cast<uint32_t>(SlotState::kWaiting);
  to.forked = {slot.stream.head, slot.stream.last_count, from.count, waits ? now.wait_site : 0, now.state,
               slot.life == ThreadLife::kAlive};
}

// Of kept files there are none: what the child reads is in its streams.
void fill_header(const Slot& slot, SessionHeader& to) {
  memcpy(&to, g_session, sizeof(SessionHeader));
  to.doorbell = to.exited = to.reaped_next = to.recorder = 0;
  to.threads_created = to.processes_created = to.executed = to.process = 0;
  to.shared_mappings = to.named_mappings = 0;
  to.relay = RelayControl{};  // its children print to that of its parent, as it does
  to.report = Report{};
  to.fork = ForkRequest{};
  to.forked_slot = slot.id;
  for (KeptFile& file : to.kept) file.state = static_cast<uint32_t>(KeptState::kRefused);
  to.kept_used = kMaxKept;
  memset(to.reaped, 0, sizeof(to.reaped));
}

bool make_session(const Slot& slot, NewSession& session) {
  session.fd = raw(SYS_memfd_create, "anaphora-session", 1 /* MFD_CLOEXEC */);
  if (is_error(session.fd)) return false;
  // Not among the numbers that the program counts with.
  long high = raw(SYS_fcntl, session.fd, F_DUPFD_CLOEXEC, g_session_fd);
  if (!is_error(high)) {
    raw(SYS_close, session.fd);
    session.fd = high;
  }
  session.bytes = kSlotsOffset + slots_used() * kSlotBytes;
  long at = -1;
  if (!is_error(raw(SYS_ftruncate, session.fd, kSessionBytes)))
    at = raw(SYS_mmap, nullptr, session.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, session.fd, 0);
  if (!is_error(at)) {
    session.header = reinterpret_cast<SessionHeader*>(at);
    fill_header(slot, *session.header);
    for (uint32_t i = 0, n = slots_used(); i < n; ++i) fill_slot(g_slots[i], slot_of(session, i));
    if (ask_for_recorder(static_cast<uint32_t>(session.fd))) return true;
    raw(SYS_munmap, at, session.bytes);
  }
  raw(SYS_close, session.fd);
  return false;
}

// In the child, which has this thread only.
void enter_session(Slot& slot, const NewSession& session, long number) {
  for (uint32_t i = 0, n = session.header->slots_used; i < n; ++i) {
    uint64_t at = layout::kSlots + i * layout::kSlotStride;
    long r = raw(SYS_mmap, at, kSlotBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, session.fd,
                 kSlotsOffset + i * kSlotBytes);
    if (is_error(r)) raw(SYS_exit_group, 127);
  }
  raw(SYS_mmap, layout::kSession, kSlotsOffset, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, session.fd, 0);
  raw(SYS_munmap, session.header, session.bytes);
  raw(SYS_dup3, session.fd, g_session_fd, O_CLOEXEC);
  raw(SYS_close, session.fd);
  uint32_t id = static_cast<uint32_t>(raw(SYS_getpid));
  forget_stops();
  ownership_forked(slot);
  threads_forked(slot, id);
  sections_forked(slot);
  for (Slot& each : g_slots) each.kept_told = 0;
  block_exit(slot);
  thread_dispatch();
  __atomic_store_n(&g_session->process, id, __ATOMIC_RELEASE);  // pairs with the recorder's
  ring_doorbell();
  put_value(slot, number, 0, &id, sizeof(id));
}

// Replay of the child: this thread goes on as it.
long become_child(Slot& slot, uint64_t flags, uint64_t child_tid, uint32_t id) {
  enforce_fork(slot);
  threads_forked(slot, id);
  sections_forked(slot);
  if (flags & CLONE_CHILD_SETTID) *reinterpret_cast<uint32_t*>(child_tid) = id;
  if (g_session->forks_before) --g_session->forks_before;
  return 0;
}

long replay_clone(Slot& slot, long number, uint64_t flags, uint64_t child_tid) {
  uint32_t id = 0;
  long result = get_value(slot, number, &id, sizeof(id));
  return result ? result : become_child(slot, flags, child_tid, id);
}

}  // namespace

long process_clone(long number, uint64_t flags, uint64_t parent_tid, uint64_t child_tid, uint64_t tls) {
  Slot& slot = self();
  DispatchedCall* call = current_call();
  if (replaying()) return replay_clone(slot, number, flags, child_tid);
  flags &= ~static_cast<uint64_t>(CLONE_VM | CLONE_VFORK);
  ++g_session->processes_created;
  block_enter(slot);
  relay_start();
  block_exit(slot);
  NewSession session;
  bool recorded = false;
  if (g_session->records_forks) {
    freeze_others(slot);
    recorded = make_session(slot, session);
  }
  long result = raw(SYS_clone, flags, 0, parent_tid, child_tid, tls);
  if (!result) relay_enter_child();
  if (!result && recorded) {
    enter_session(slot, session, number);
    return 0;
  }
  if (!result) {
    leave_session(slot, *call->context);
    call->registers[REG_RAX] = 0;
    call->left = true;
    return 0;
  }
  if (recorded) {
    // The child says so, too, but may be killed before it can.
    __atomic_store_n(&session.header->process, is_error(result) ? ~0ull : static_cast<uint64_t>(result), __ATOMIC_RELEASE);
    raw(SYS_munmap, session.header, session.bytes);
    raw(SYS_close, session.fd);
  }
  if (g_session->records_forks) thaw_others(slot);
  put_value(slot, number, result);
  return result;
}

void note_reaped(long process, uint32_t status) {
  uint32_t at = __atomic_fetch_add(&g_session->reaped_next, 1, __ATOMIC_SEQ_CST) % kMaxReaped;
  ReapedChild& child = g_session->reaped[at];
  __atomic_store_n(&child.process, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&child.status, status, __ATOMIC_SEQ_CST);
  __atomic_store_n(&child.process, static_cast<uint32_t>(process), __ATOMIC_SEQ_CST);
}

void outside_begin(bool starts_process) {
  if (recording() && starts_process) {
    ++g_session->processes_created;
    relay_start();
  }
  self().shared->call_stack = 0;
  raw(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
}

void outside_end() { thread_dispatch(); }

}  // namespace ana
