#include "runtime/host/threads.h"

#include <asm/prctl.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/host/kernel_sigaction.h"
#include "runtime/host/order/chaos.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/order/references.h"
#include "runtime/host/order/retracing.h"
#include "runtime/host/order/serial.h"
#include "runtime/host/order/tracing.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/outside.h"
#include "runtime/host/relay.h"
#include "runtime/host/processes.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/patches.h"

extern "C" {
long ana_raw_clone(long number, long a, long b, long c, long d, long e, ana::ChildStart* start);
__attribute__((used)) void ana_child_init(ana::ChildStart* start);
}

namespace ana {

Slot g_slots[kMaxSlots];

namespace {

SpinLock g_threads;  // choosing a slot
uint32_t g_alive;
uint64_t g_started;
char g_dispatch_on = 1;  // SYSCALL_DISPATCH_FILTER_BLOCK, for all threads, for ever

bool is_gone(const Slot& slot) {
  return !slot.clear_tid || __atomic_load_n(slot.clear_tid, __ATOMIC_ACQUIRE) == 0;
}

bool is_free(const Slot& slot) {
  if (slot.life != ThreadLife::kEnded) return slot.life == ThreadLife::kFree;
  return (slot.detached || __atomic_load_n(&slot.joined, __ATOMIC_ACQUIRE)) && is_gone(slot);
}

void occupy(Slot& slot) {
  slot.start_count = slot.shared->count;
  slot.life = ThreadLife::kAlive;
  // Until it runs: if the program ends before, the thread did nothing, and not what the last one in the slot did.
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kBlocked);
  slot.detached = slot.joined = false;
  slot.blocked = 0;
  slot.pending_slot = -1;
  slot.pthread = 0;
  slot.sections = 1;  // until it has started
  slot.in_wait = false;
  if (recording() && !tracing()) chaos_start(slot);
  __atomic_add_fetch(&g_alive, 1, __ATOMIC_SEQ_CST);
}

// The thread for which it was prepared never came to be. What earlier ones did still comes before the next.
void vacate(Slot& slot) {
  bool used = slot.published.sequence;
  slot.life = used ? ThreadLife::kEnded : ThreadLife::kFree;
  slot.shared->status.state = static_cast<uint32_t>(used ? SlotState::kEnded : SlotState::kUnused);
  slot.detached = true;
  slot.clear_tid = nullptr;
  __atomic_sub_fetch(&g_alive, 1, __ATOMIC_SEQ_CST);
}

bool make_ready(uint32_t id) {
  Slot& slot = g_slots[id];
  if (!slot.shared) {
    if (!slot_map(id)) return false;
    if (replaying()) {
      enforcer_init(slot);
      retracing_start(slot);
    } else {
      ownership_init(slot);
      if (tracing()) tracing_start(slot);
    }
    slot.next_mapping = layout::kMappings + id * layout::kMappingsStride;
    uint32_t used = id + 1;
    if (used > slots_used()) __atomic_store_n(&g_session->slots_used, used, __ATOMIC_RELEASE);
  }
  occupy(slot);
  return true;
}

// In a recording by an algorithm a thread is an object: created, started, ended, joined.
uint64_t thread_number(uint32_t id) { return object_number(ObjectKind::kThread, id); }

// Record: the lowest free slot. Its earlier threads come before everything that the new one does.
int choose_slot(Slot& creator) {
  g_threads.lock();
  uint32_t id = 0;
  while (id < kMaxSlots && !is_free(g_slots[id])) ++id;
  bool reused = id < kMaxSlots && g_slots[id].life == ThreadLife::kEnded;
  bool ready = id < kMaxSlots && make_ready(id);
  g_threads.unlock();
  if (!ready) return -1;
  if (tracing()) trace_object(creator, thread_number(id));
  else if (reused) take_order_from(creator, g_slots[id], kSiteOperation);
  return static_cast<int>(id);
}

// Replay: the recorded one. The schedule has let us pass its last thread's end; the kernel may still be at it, and who
// joins it may still look at its memory, which the new thread will have.
int reuse_slot(int id) {
  for (int n = 0; !is_free(g_slots[id]);) SpinLock::back_off(n);
  g_threads.lock();
  bool ready = make_ready(id);
  g_threads.unlock();
  if (!ready) fatal(ReportKind::kCannotStart, "no memory for another thread", ENOMEM);
  return id;
}

}  // namespace

bool slot_map(uint32_t id) {
  Slot& slot = g_slots[id];
  uint64_t at = layout::kSlots + id * layout::kSlotStride;
  int flags = (debugged() ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED_NOREPLACE;
  long r = raw(SYS_mmap, at, kSlotBytes, PROT_READ | PROT_WRITE, flags, g_session_fd, kSlotsOffset + id * kSlotBytes);
  if (is_error(r)) return false;
  uint64_t table = at + ANA_GS_PERMISSIONS;
  constexpr uint64_t bytes = sizeof(Permission) * (uint64_t{ANA_LINE_MASK} + 1);
  flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  constexpr uint64_t recent_bytes = sizeof(RecentPage) << kRecentPageBits;
  constexpr uint64_t all_bytes = bytes + recent_bytes + layout::kPagesBytes;
  static_assert(ANA_GS_PERMISSIONS + all_bytes <= layout::kSlotStride);
  int protection = recording() ? PROT_READ | PROT_WRITE : PROT_READ;
  r = raw(SYS_mmap, table, all_bytes, protection, flags, -1, 0);
  if (is_error(r)) return false;
  raw(SYS_madvise, table, all_bytes, MADV_DONTDUMP);
  if (replaying()) raw(SYS_madvise, table, bytes, MADV_HUGEPAGE);  // the huge zero page
  slot.id = id;
  slot.shared = reinterpret_cast<SlotShared*>(at);
  slot.permissions = reinterpret_cast<Permission*>(table);
  slot.recent = reinterpret_cast<RecentPage*>(table + bytes);
  slot.pages = reinterpret_cast<Permission*>(table + bytes + recent_bytes);
  slot.shared->self = at;
  slot.shared->slot = id;
  return translated_map(slot);
}

void threads_init() {
  if (!make_ready(0)) fatal(ReportKind::kCannotStart, "no address space for the main thread's tables", ENOMEM);
  g_slots[0].sections = 0;
  g_slots[0].shared->status.state = static_cast<uint32_t>(SlotState::kRunning);
}

void thread_identify(Slot& slot) { raw(SYS_arch_prctl, ARCH_SET_GS, slot.shared); }

void thread_arm(Slot& slot) {
  stack_t stack{};
  stack.ss_sp = slot.signal_stack;
  stack.ss_size = sizeof(slot.signal_stack);
  raw(SYS_sigaltstack, &stack, nullptr);
  thread_identify(slot);
  thread_dispatch();
}

void thread_dispatch() {
  raw(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, ana_raw_begin, ana_raw_end - ana_raw_begin,
      &g_dispatch_on);
  g_session->debug.dispatch_selector = reinterpret_cast<uint64_t>(&g_dispatch_on);
  Slot& slot = self();
  slot.shared->call_stack = reinterpret_cast<uint64_t>(slot.signal_stack + sizeof(slot.signal_stack));
}

int thread_prepare() {
  Slot& slot = self();
  if (slot.pending_slot >= 0) vacate(g_slots[slot.pending_slot]);  // libc refused the attributes
  slot.chaos_operations = 0;  // what it does now matters to the new thread
  int id;
  if (recording()) {
    id = choose_slot(slot);
    put_value(slot, kOpCreate, id);
    end_epoch(slot);  // the new thread takes its order from here
  } else {
    id = static_cast<int>(get_value(slot, kOpCreate));
    if (id >= 0) {
      reuse_slot(id);
      slot.creating = slot.caller;
      tell_object(slot, thread_number(static_cast<uint32_t>(id)), Told::kCreate);
    }
  }
  if (id >= 0) {
    ++g_session->threads_created;
    g_slots[id].start.slot = static_cast<uint32_t>(id);
    g_slots[id].creator = slot.id;
  }
  slot.pending_slot = id;
  return id;
}

namespace {

// Replay: the program ended before the creator had logged the thread, which may have run already. Its id, or 0.
long unlogged_thread(Slot& child) {
  if (peek_op(child) == kOpThreadStart) return reinterpret_cast<const ScheduledValue*>(child.replay.values)->result;
  vacate(child);
  return 0;
}

}  // namespace

void thread_abandon(Slot& slot) {
  if (slot.pending_slot >= 0) vacate(g_slots[slot.pending_slot]);
  slot.pending_slot = -1;
}

long thread_clone(long number, const long* arguments, const uint64_t* registers) {
  Slot& slot = self();
  clone_args args{};
  bool is_clone3 = number == SYS_clone3;
  if (is_clone3) {
    memcpy(&args, reinterpret_cast<void*>(arguments[0]),
           static_cast<uint64_t>(arguments[1]) < sizeof(args) ? arguments[1] : sizeof(args));
  } else {
    args.flags = arguments[0];
    args.parent_tid = arguments[2];
    args.child_tid = arguments[3];
    args.tls = arguments[4];
  }
  if (!(args.flags & CLONE_THREAD)) {
    if (args.stack || (!is_clone3 && arguments[1]))
      fatal(ReportKind::kUnsupportedFeature,
            "a process made by clone(2) with a stack of its own, as wordexp does for commands in $(...)");
    return process_clone(number, args.flags | args.exit_signal, args.parent_tid, args.child_tid, args.tls);
  }
  if (slot.pending_slot < 0) fatal(ReportKind::kUnsupportedFeature, "a thread made by clone(2) directly, or by getaddrinfo_a");
  Slot& child = g_slots[slot.pending_slot];
  slot.pending_slot = -1;
  memcpy(child.start.registers, registers, sizeof(child.start.registers));
  child.start.registers[REG_RIP] = continuation(registers[REG_RIP]);
  child.clear_tid = reinterpret_cast<int*>(args.child_tid);
  child.pthread = args.tls;
  g_signals[child.id].mask = g_signals[slot.id].mask;
  g_signals[child.id].stack = {};
  // Again, so that the new thread comes after all that its creator has done.
  slot.caller = slot.creating;
  if (tracing()) trace_object(slot, thread_number(child.id));
  else tell_object(slot, thread_number(child.id), Told::kCreate);
  slot.caller = 0;
  tell(slot, Told::kCreate, child.id);

  long recorded = 0;
  if (replaying()) {
    // The thread keeps the id it had: libc writes it into mutexes, and programs print it.
    recorded = peek_op(slot) == kNoMoreValues ? unlogged_thread(child) : get_value(slot, SYS_clone);
    if (!recorded) enforce_end(slot);
    if (is_error(recorded)) {
      vacate(child);
      return recorded;
    }
    if (args.flags & CLONE_PARENT_SETTID) *reinterpret_cast<int*>(args.parent_tid) = static_cast<int>(recorded);
    args.flags &= ~static_cast<uint64_t>(CLONE_PARENT_SETTID);
  }
  long result = is_clone3 ? ana_raw_clone(number, reinterpret_cast<long>(&args), arguments[1], 0, 0, 0, &child.start)
                          : ana_raw_clone(number, static_cast<long>(args.flags), arguments[1], arguments[2], arguments[3],
                                          arguments[4], &child.start);
  if (is_error(result)) {
    if (replaying()) fatal(ReportKind::kCannotStart, "no more threads can be created now", -result);
    vacate(child);
  }
  serial_await_birth(child);
  if (recording()) {
    if (!is_error(result)) child.shared->status.tid = static_cast<uint32_t>(result);
    put_value(slot, SYS_clone, result);
  }
  return replaying() ? recorded : result;
}

void thread_start() {
  Slot& slot = self();
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kRunning);
  operation_begin(slot);
  if (recording()) {
    if (tracing()) trace_object(slot, thread_number(slot.id));
    else take_order_from(slot, g_slots[slot.creator], kSiteOperation);
    uint64_t ordinal = slot.shared->status.ordinal = __atomic_add_fetch(&g_started, 1, __ATOMIC_SEQ_CST);
    slot.shared->status.tid = static_cast<uint32_t>(raw(SYS_gettid));
    put_value(slot, kOpThreadStart, slot.shared->status.tid, &ordinal, sizeof(ordinal));
  } else {
    slot.shared->status.tid = static_cast<uint32_t>(
        get_value(slot, kOpThreadStart, &slot.shared->status.ordinal, sizeof(slot.shared->status.ordinal)));
    tell_object(slot, thread_number(slot.id), Told::kStart);
    tell(slot, Told::kStart, slot.id);
  }
  operation_end(slot);
  slot.sections = 0;
}

void thread_leaving() {
  Slot& slot = self();
  if (recording() || peek_op(slot) == kNoMoreValues || will_get_later(slot, kOpThreadEnd)) return;
  while (!others_have_ended()) enforce_wait(slot);
}

void thread_joined(uint32_t id) {
  Slot& slot = g_slots[id];
  if (tracing()) trace_object(self(), thread_number(id));
  else if (recording()) take_order_from(self(), slot, kSiteOperation);
  else tell_object(self(), thread_number(id), Told::kJoin);
  tell(self(), Told::kJoin, id);
  slot.clear_tid = nullptr;  // it is gone, and a stack of the program's own may be put to another use now
  __atomic_store_n(&slot.joined, true, __ATOMIC_RELEASE);  // pairs with the load in is_free()
}

void thread_detached(uint32_t id) { g_slots[id].detached = true; }

int thread_find(uint64_t pthread) {
  for (uint32_t i = 0, n = slots_used(); i < n; ++i)
    if (g_slots[i].pthread == pthread && !g_slots[i].joined && g_slots[i].life != ThreadLife::kFree)
      return static_cast<int>(i);
  return -1;
}

namespace {

int g_vanishing[kMaxSlots];  // clear_tid of threads that vanish

// What the next thread of the slot must not find.
void clean(Slot& slot) {
  slot.life = ThreadLife::kEnded;
  slot.detached = true;
  slot.blocked = 1;
  slot.pins = slot.sections = 0;
  slot.in_wait = false;
  slot.writing = 0;
  slot.pending_slot = -1;
  slot.pthread = 0;
  slot.shared->retry = slot.shared->signals = 0;
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kEnded);
  g_signals[slot.id].held = 0;
  g_signals[slot.id].here = nullptr;
  g_signals[slot.id].during = nullptr;
}

}  // namespace

void threads_forked(Slot& slot, uint32_t tid) {
  g_threads = SpinLock();
  g_alive = 1;
  for (uint32_t i = 0, n = slots_used(); i < n; ++i) {
    Slot& other = g_slots[i];
    if (i == slot.id || other.life == ThreadLife::kFree) continue;
    if (other.life == ThreadLife::kAlive) clean(other);
    other.detached = true;  // nobody will join it
    other.clear_tid = nullptr;
  }
  slot.shared->signals = g_signals[slot.id].held = 0;  // those that wait stay with the parent
  slot.shared->status.tid = tid;
}

void thread_vanish(Slot& slot) {
  int& here = g_vanishing[slot.id];
  here = 1;
  raw(SYS_set_tid_address, &here);        // not the word of the program's
  raw(SYS_set_robust_list, nullptr, 24);  // nor its mutexes
  slot.clear_tid = &here;
  clean(slot);
  __atomic_sub_fetch(&g_alive, 1, __ATOMIC_SEQ_CST);
  serial_leave(slot);
  for (;;) raw(SYS_exit, 0);
}

bool thread_is_alone(const Slot& slot) {
  if (threads_alive() != 1) return false;
  for (uint32_t i = 0, n = slots_used(); i < n; ++i)
    if (i != slot.id && g_slots[i].life == ThreadLife::kEnded && !is_gone(g_slots[i])) return false;
  return true;
}

uint32_t threads_alive() { return __atomic_load_n(&g_alive, __ATOMIC_SEQ_CST); }

void thread_exit(long status) {
  Slot& slot = self();
  operation_begin(slot);
  if (recording()) {
    if (tracing()) trace_object(slot, thread_number(slot.id));
    put_value(slot, kOpThreadEnd, status);
    operation_end(slot);
    give_up_all(slot);
    give_back_signals(slot);
    __atomic_store_n(&slot.blocked, 1, __ATOMIC_RELEASE);
  } else {
    get_value(slot, kOpThreadEnd);
    tell_object(slot, thread_number(slot.id), Told::kEnd);
    tell(slot, Told::kEnd, slot.id);
    operation_end(slot);
    enforce_before_leaving(slot);
  }
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kEnded);
  slot.life = ThreadLife::kEnded;
  if (slot.id == 0) slot.detached = true;
  if (__atomic_sub_fetch(&g_alive, 1, __ATOMIC_SEQ_CST) == 0) {
    if (debugged()) debug_trap(DebugTrap::kEnd);
    raw(SYS_exit_group, 0);
  }
  if (!recording()) enforce_program_end();  // all others may be at their ends already
  serial_leave(slot);
  for (;;) raw(SYS_exit, status);
}

void program_exit(long status) {
  Slot& slot = self();
  operation_begin(slot);
  if (recording()) {
    stop_others(slot);
    put_value(slot, SYS_exit_group, status);
    g_session->exit_status = static_cast<uint32_t>(status);
    __atomic_store_n(&g_session->exited, 1, __ATOMIC_RELEASE);
  } else {
    get_value(slot, SYS_exit_group);  // parks if another thread was first
    enforce_others_end(slot);
    relay_show_rest();
    outside_before_end();
    if (debugged()) debug_trap(DebugTrap::kEnd);
  }
  for (;;) raw(SYS_exit_group, status);
}

void end_as_recorded() {
  long signal = g_session->end_signal;
  relay_show_rest();
  outside_before_end();
  // Crashes recur by themselves; a replay in which none does has gone another way.
  bool should_recur = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT;
  if (debugged() && !should_recur) debug_trap(DebugTrap::kEnd);
  if (signal) {
    if (should_recur && ended_outside()) install_handler(signal, nullptr);  // MPI's own crash
    else if (should_recur) fatal(ReportKind::kLeftover, "the recorded crash did not happen again", 0, 0);
    for (int i = 0; i < 100; ++i) raw(SYS_kill, raw(SYS_getpid), signal);
  }
  for (;;) raw(SYS_exit_group, g_session->end_status);
}

}  // namespace ana

void ana_child_init(ana::ChildStart* start) {
  ana::thread_arm(ana::g_slots[start->slot]);
  ana::forget_call();  // that in which the last thread of the slot ended
  ana::serial_born(ana::g_slots[start->slot]);
}
