#include "runtime/host/order/chaos.h"

#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/ownership.h"

namespace ana {
namespace {

constexpr uint64_t kFirstGap = 64, kLongestGap = 1 << 16;                          // between polls
constexpr uint32_t kFirstOperations = 4, kOperationsPerMore = 32, kMostOperations = 256;  // one in so many
constexpr uint32_t kLaziest = 4;           // doublings of a delay
constexpr uint32_t kDoublingsAtPolls = 5, kDoublingsAtEnds = 10;  // from a microsecond
constexpr uint32_t kLongBurst = 64;        // checks
constexpr uint64_t kNanosecondsAtCheck = 20'000;

// xorshift64*
uint64_t draw(Slot& slot) {
  uint64_t& state = slot.chaos;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1dull >> 16;
}

void sleep_for(uint64_t nanoseconds) {
  timespec nap{0, static_cast<long>(nanoseconds)};
  raw(SYS_nanosleep, &nap, nullptr);
}

// Who has asked meanwhile stays in `limit`.
void plan(Slot& slot, uint64_t next) {
  uint64_t now = slot.quiet_limit;
  __atomic_store_n(&slot.quiet_limit, next, __ATOMIC_RELAXED);
  __atomic_compare_exchange_n(&slot.shared->limit, &now, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void plan_next(Slot& slot) {
  if (!slot.chaos_at_polls) return plan(slot, kNoLimit);
  uint64_t count = slot.shared->count, longest = kFirstGap + count;
  plan(slot, count + 1 + draw(slot) % (longest < kLongestGap ? longest : kLongestGap));
}

// Short at polls, of which there are many: else threads that begin together would never meet.
void delay(Slot& slot, ChaosPoint point) {
  uint64_t how = draw(slot);
  if (how % 4 == 0) {
    raw(SYS_sched_yield);
    return;
  }
  uint32_t laziness = slot.chaos_laziness + (how / 4 % 16 == 0 ? kLaziest : 0);
  uint32_t doublings = point == ChaosPoint::kEnd ? kDoublingsAtEnds : kDoublingsAtPolls;
  sleep_for(1000ull << (how / 64 % doublings + laziness));
}

}  // namespace

void chaos_start(Slot& slot) {
  if (!g_session->chaos) return;
  slot.chaos = (g_session->chaos ^ slot.shared->count << 32 ^ slot.id) * 0x9e3779b97f4a7c15ull | 1;
  slot.chaos_burst = slot.chaos_operations = 0;
  slot.chaos_laziness = draw(slot) % kLaziest;
  slot.chaos_at_polls = draw(slot) % 2;
  plan_next(slot);
}

void plan_for_operation(Slot& slot) {
  uint32_t one_in = kFirstOperations + slot.chaos_operations++ / kOperationsPerMore;
  if (draw(slot) % (one_in < kMostOperations ? one_in : kMostOperations) == 0) plan(slot, slot.shared->count + 1);
}

bool chaos_delay(Slot& slot, ChaosPoint point) {
  if (!slot.chaos || slot.shared->count < slot.quiet_limit) return false;
  plan_next(slot);
  if (point == ChaosPoint::kBegin) {
    delay(slot, point);  // with what it owns: the operation may rely on it
    return false;
  }
  // If the program ends meanwhile, what comes next has not begun.
  --slot.shared->count;
  give_up_all(slot);
  block_enter(slot, SlotState::kParked);
  delay(slot, point);
  block_exit(slot);
  ++slot.shared->count;
  if (draw(slot) % 2) slot.chaos_burst = static_cast<uint32_t>(draw(slot) % kLongBurst);
  return true;
}

void let_others_in(Slot& slot) {
  --slot.chaos_burst;
  give_up_all(slot);
  uint64_t how = draw(slot) % 8;
  if (how == 0) sleep_for(kNanosecondsAtCheck);
  else if (how < 4) raw(SYS_sched_yield);
}

}  // namespace ana
