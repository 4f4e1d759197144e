#include "runtime/host/order/slices.h"

#include <sys/syscall.h>

#include "runtime/host/threads.h"

namespace ana {
namespace {

// How long to look before another thread gets the processor: at once if there are more threads than processors, since
// who is behind probably has none.
constexpr int kSpins = 2000, kSpinsWhenCrowded = 20;

// What a thread knows of another's Lamport time.
struct Seen {
  uint64_t jump;  // index into the other's times
  uint64_t time;
};
Seen g_seen[kMaxSlots][kMaxSlots];  // [the thread's slot][the other's]

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

void wait_for_slice(Slot& slot, const Slot& other, Seen& seen, uint64_t time, uint64_t site) {
  int spins = threads_alive() > g_processors ? kSpinsWhenCrowded : kSpins;
  for (int n = 0; n < spins; ++n) {
    if (!is_behind(other, seen, time)) return;
    pause();
  }
  SlotStatus& status = slot.shared->status;
  ++status.waits;
  status.wait_site = site;
  status.state = static_cast<uint32_t>(SlotState::kWaiting);
  while (is_behind(other, seen, time)) raw(SYS_sched_yield);
  status.state = static_cast<uint32_t>(SlotState::kRunning);
}

}  // namespace

void wait_for_slices(Slot& slot, uint64_t site) {
  Seen* seen = g_seen[slot.id];
  uint64_t time = lamport_time(slot.replay, seen[slot.id], slot.shared->count);
  for (uint32_t i = 0, n = slots_used(); i < n; ++i) {
    if (seen[i].time >= time) continue;
    if (is_behind(g_slots[i], seen[i], time)) wait_for_slice(slot, g_slots[i], seen[i], time, site);
  }
}

}  // namespace ana
