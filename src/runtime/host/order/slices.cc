#include "runtime/host/order/slices.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/serial.h"
#include "runtime/host/threads.h"

namespace ana {
namespace {

// How long to look before sleeping: hardly if there are more threads than processors, since who is behind probably has
// none. Yielding instead is cheaper while nobody else wants the processors, and far slower when somebody does.
constexpr int kSpins = 2000, kSpinsWhenCrowded = 20;
constexpr long kLongestSleep = 1'000'000;  // in ns: a wakeup may be missed, since counting has no fence

// What a thread knows of another's Lamport time.
struct Seen {
  uint64_t jump;  // index into the other's times
  uint64_t time;
};
Seen g_seen[kMaxSlots][kMaxSlots];  // [the thread's slot][the other's]

// Who sleeps until a slot comes to some time.
struct alignas(64) Awaited {
  uint32_t word;      // futex: changes when sleepers are to look again
  uint32_t sleepers;
  uint64_t time;      // the earliest that they wait for; 0: none
};
Awaited g_awaited[kMaxSlots];

uint64_t lamport_time(const ReplayState& r, Seen& seen, uint64_t count) {
  while (seen.jump + 1 < r.time_count && r.times[seen.jump + 1].count <= count) ++seen.jump;
  const LamportJump& last = r.times[seen.jump];
  return seen.time = last.time + (count - last.count);
}

bool is_behind(const Slot& other, Seen& seen, uint64_t time) {
  ThreadLife life;
  __atomic_load(&other.life, &life, __ATOMIC_ACQUIRE);
  if (life != ThreadLife::kAlive || __atomic_load_n(&other.blocked, __ATOMIC_ACQUIRE)) return false;
  // Pairs with the thread's counting: its events with smaller counts are complete.
  uint64_t count = __atomic_load_n(&other.shared->count, __ATOMIC_ACQUIRE);
  if (count == other.start_count) ++count;
  return lamport_time(other.replay, seen, count) < time;
}

// 0 stands for none.
void await(Awaited& awaited, uint64_t time) {
  uint64_t now = __atomic_load_n(&awaited.time, __ATOMIC_SEQ_CST);
  while (!now || now > time)
    if (__atomic_compare_exchange_n(&awaited.time, &now, time, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
}

void wait_for_slice(Slot& slot, const Slot& other, Seen& seen, uint64_t time, uint64_t site) {
  int spins = serial() ? 1 : threads_alive() > g_processors ? kSpinsWhenCrowded : kSpins;
  for (int n = 0; n < spins; ++n) {
    if (!is_behind(other, seen, time)) return;
    pause();
  }
  SlotStatus& status = slot.shared->status;
  ++status.waits;
  status.wait_site = site;
  status.state = static_cast<uint32_t>(SlotState::kWaiting);
  while (serial() && is_behind(other, seen, time)) serial_yield(slot, other.id);
  Awaited& awaited = g_awaited[other.id];
  __atomic_add_fetch(&awaited.sleepers, 1, __ATOMIC_SEQ_CST);
  for (;;) {
    uint32_t word = __atomic_load_n(&awaited.word, __ATOMIC_SEQ_CST);
    await(awaited, time);
    if (!is_behind(other, seen, time)) break;
    timespec limit{0, kLongestSleep};
    raw(SYS_futex, &awaited.word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, word, &limit);
  }
  __atomic_sub_fetch(&awaited.sleepers, 1, __ATOMIC_SEQ_CST);
  status.state = static_cast<uint32_t>(SlotState::kRunning);
}

}  // namespace

void tell_slice(Slot& slot) {
  Awaited& awaited = g_awaited[slot.id];
  uint64_t wanted = __atomic_load_n(&awaited.time, __ATOMIC_RELAXED);
  if (!wanted || lamport_time(slot.replay, g_seen[slot.id][slot.id], slot.shared->count) < wanted) return;
  __atomic_store_n(&awaited.time, 0, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&awaited.word, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&awaited.sleepers, __ATOMIC_SEQ_CST))
    raw(SYS_futex, &awaited.word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1 << 30);
}

void wait_for_slices(Slot& slot, uint64_t site) {
  Seen* seen = g_seen[slot.id];
  uint64_t time = lamport_time(slot.replay, seen[slot.id], slot.shared->count);
  for (uint32_t i = 0, n = slots_used(); i < n; ++i) {
    if (seen[i].time >= time) continue;
    if (is_behind(g_slots[i], seen[i], time)) wait_for_slice(slot, g_slots[i], seen[i], time, site);
  }
}

}  // namespace ana
