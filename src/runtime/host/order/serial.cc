#include "runtime/host/order/serial.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/enforcer.h"

extern "C" {
void ana_debug_trap(uint64_t why, uint64_t value);
extern const char ana_debug_trapped[], ana_raw_instruction[], ana_patched_call[], ana_raw_sigreturn[];
}

namespace ana {
namespace {

uint32_t g_turn[kMaxSlots];   // futexes
const int* g_departed;        // the thread that had the turn before may still be in the kernel, until this is 0

DebugWait& wait_of(uint32_t id) { return g_slots[id].shared->wait; }
bool is(uint32_t id, SerialState state) { return wait_of(id).kind == static_cast<uint32_t>(state); }

bool can_go_on(uint32_t id) {
  if (!g_slots[id].shared) return false;
  const DebugWait& wait = wait_of(id);
  auto* word = reinterpret_cast<const uint32_t*>(wait.word);
  switch (static_cast<SerialState>(wait.kind)) {
    case SerialState::kReady: return true;
    case SerialState::kUntilAtLeast: return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= wait.value;
    case SerialState::kUntilOther: return __atomic_load_n(word, __ATOMIC_ACQUIRE) != wait.value;
    default: return false;
  }
}

// kNoSlot: nobody can go on.
uint32_t next_after(uint32_t id) {
  uint32_t n = slots_used();
  uint32_t wanted = wait_of(id).slot;
  for (uint32_t hops = 0; hops < n && wanted < n && wanted != id && g_slots[wanted].shared; ++hops) {
    if (can_go_on(wanted)) return wanted;
    wanted = wait_of(wanted).slot;
  }
  for (uint32_t i = 1; i <= n; ++i)
    if (can_go_on((id + i) % n)) return (id + i) % n;
  for (uint32_t i = 1; i <= n; ++i)
    if (g_slots[(id + i) % n].shared && is((id + i) % n, SerialState::kYielded)) return (id + i) % n;
  return kNoSlot;
}

void give_turn_to(uint32_t next) {
  DebugControl& debug = g_session->debug;
  ++debug.switches;
  debug.holder = next;
  __atomic_store_n(&g_turn[next], 1, __ATOMIC_SEQ_CST);
  raw(SYS_futex, &g_turn[next], FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

void await_turn(Slot& slot) {
  while (!__atomic_load_n(&g_turn[slot.id], __ATOMIC_SEQ_CST))
    raw(SYS_futex, &g_turn[slot.id], FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, nullptr);
  wait_of(slot.id) = {static_cast<uint32_t>(SerialState::kReady), kNoSlot, 0, 0, 0};
  if (!serial()) return;
  while (g_departed && __atomic_load_n(g_departed, __ATOMIC_ACQUIRE)) {
    timespec limit{0, 1'000'000};
    raw(SYS_futex, g_departed, FUTEX_WAIT, *g_departed, &limit);
  }
  g_departed = nullptr;
}

void wait(Slot& slot, SerialState state, const uint32_t* word, uint32_t value, uint32_t of) {
  wait_of(slot.id) = {static_cast<uint32_t>(state), of, reinterpret_cast<uint64_t>(word), value, 0};
  uint32_t next = next_after(slot.id);
  if (next == kNoSlot) fatal(ReportKind::kStuck, "no thread can go on", of, value);
  if (next != slot.id) {
    g_turn[slot.id] = 0;
    give_turn_to(next);
  }
  await_turn(slot);
}

void leave(Slot& slot, SerialState state, const int* gone) {
  if (!debugged()) return;
  wait_of(slot.id) = {static_cast<uint32_t>(state), kNoSlot, 0, 0, 0};
  if (!serial()) return;
  uint32_t next = next_after(slot.id);
  if (next == kNoSlot) return;  // whoever ends the program is about to
  g_departed = gone;
  g_turn[slot.id] = 0;
  give_turn_to(next);
}

}  // namespace

void serial_init() {
  if (!debugged()) return;
  DebugControl& debug = g_session->debug;
  debug.trap = reinterpret_cast<uint64_t>(ana_debug_trapped);
  debug.system_call = reinterpret_cast<uint64_t>(ana_raw_instruction);
  debug.dispatch_begin = reinterpret_cast<uint64_t>(ana_raw_begin);
  debug.dispatch_bytes = static_cast<uint64_t>(ana_raw_end - ana_raw_begin);
  debug.patched_call = reinterpret_cast<uint64_t>(ana_patched_call);
  debug.restorer = reinterpret_cast<uint64_t>(ana_sigaction_restorer);
  debug.sigreturn = reinterpret_cast<uint64_t>(ana_raw_sigreturn);
  debug.slots = reinterpret_cast<uint64_t>(g_slots);
  debug.slot_bytes = sizeof(Slot);
  debug.clear_tid = offsetof(Slot, clear_tid);
  debug.signal_stack = offsetof(Slot, signal_stack);
  debug.signal_stack_bytes = sizeof(Slot::signal_stack);
  debug.turns = reinterpret_cast<uint64_t>(g_turn);
  g_turn[0] = 1;
  wait_of(0).kind = static_cast<uint32_t>(SerialState::kReady);
}

void debug_trap(DebugTrap why, uint64_t value) { ana_debug_trap(static_cast<uint64_t>(why), value); }

void serial_wait(Slot& slot, const uint32_t* word, uint32_t at_least, uint32_t of) {
  wait(slot, SerialState::kUntilAtLeast, word, at_least, of);
}

void serial_wait_while(Slot& slot, const uint32_t* word, uint32_t value) {
  wait(slot, SerialState::kUntilOther, word, value, kNoSlot);
}

void serial_yield(Slot& slot, uint32_t of) { wait(slot, SerialState::kYielded, nullptr, 0, of); }

void serial_born(Slot& slot) {
  if (!debugged()) return;
  g_turn[slot.id] = !serial();
  slot.shared->locks = {};
  __atomic_store_n(&wait_of(slot.id).kind, static_cast<uint32_t>(SerialState::kReady), __ATOMIC_SEQ_CST);
  raw(SYS_futex, &wait_of(slot.id).kind, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
  await_turn(slot);
}

void serial_await_birth(const Slot& child) {
  if (!serial()) return;
  constexpr auto kNobody = static_cast<uint32_t>(SerialState::kNobody);
  while (__atomic_load_n(&wait_of(child.id).kind, __ATOMIC_SEQ_CST) == kNobody)
    raw(SYS_futex, &wait_of(child.id).kind, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, kNobody, nullptr);
}

void serial_park(Slot& slot) { leave(slot, SerialState::kParked, nullptr); }
void serial_leave(Slot& slot) { leave(slot, SerialState::kNobody, slot.clear_tid); }

}  // namespace ana
