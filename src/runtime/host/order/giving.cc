#include "runtime/host/order/giving.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/host/order/ownership.h"
#include "runtime/host/order/tracing.h"

namespace ana {

uint32_t g_freezing;

namespace {

constexpr uint32_t kRequestsUntilMassRelease = 8;
constexpr uint32_t kLastEpoch = 0xf0000000u;  // beyond it the table is cleared and epochs start again
constexpr uint64_t kPollsUntilAskedAgain = 16;
constexpr uint32_t kEveryCheckFails = ~0u;    // as the epoch that checks compare with

void publish(Slot& slot, LongEpoch moment) {
  Published& p = slot.published;
  uint32_t sequence = p.sequence;
  __atomic_store_n(&p.sequence, sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);  // pairs with the fence in take_order_from()
  __atomic_store_n(&p.moment, moment, __ATOMIC_RELAXED);
  __atomic_store_n(&p.count, slot.shared->count - slot.at_poll, __ATOMIC_RELAXED);
  __atomic_store_n(&p.edges, slot.edges, __ATOMIC_RELAXED);
  if (slot.clock_changed) {
    for (uint32_t i = 0, n = slots_used(); i < n; ++i) __atomic_store_n(&p.clock[i], slot.clock[i], __ATOMIC_RELAXED);
    slot.clock_changed = false;
  }
  __atomic_store_n(&p.sequence, sequence + 2, __ATOMIC_RELEASE);
}

// The only fence: it comes after the stores of the epoch, or the moment, that ended.
void set_served(Slot& slot) { __atomic_add_fetch(&slot.served, 1, __ATOMIC_SEQ_CST); }

void set_epoch(Slot& slot, uint32_t epoch) {
  slot.moment = epoch - kMoments + 1;
  store(slot.epoch, epoch);
  set_checked_epoch(slot);
  set_served(slot);
  ++slot.shared->status.epochs;
}

// After set_served(), without a lock. One of the two sees the other: see sleep_until_served().
void wake_sleepers(Slot& slot) {
  if (__builtin_expect(__atomic_load_n(&slot.sleepers, __ATOMIC_SEQ_CST) != 0, 0))
    raw(SYS_futex, &slot.served, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1 << 30);
}

// 32-bit epochs are used up: forget every permission and start again in a new generation.
void start_generation(Slot& slot) {
  store(slot.generation, slot.generation + 1);
  raw(SYS_madvise, slot.permissions, sizeof(Permission) * (uint64_t{ANA_LINE_MASK} + 1), MADV_DONTNEED);
  raw(SYS_madvise, slot.pages, layout::kPagesBytes, MADV_DONTNEED);
  slot.longest_lease = 0;
  set_epoch(slot, kMoments);
}

void end_epoch_at(Slot& slot, uint32_t last) {
  slot.tenure.begin(timestamp());
  publish(slot, long_epoch(slot.generation, last));
  if (last >= kLastEpoch) {
    start_generation(slot);
  } else {
    set_epoch(slot, last + kMoments);
  }
}

// Under slot.lock: what has been asked for is demoted, the epoch ends.
void give_all(Slot& slot) {
  for (uint32_t i = 0; i < slot.requests; ++i)
    slot.recent_requests += slot.permissions[slot.request[i]].until[0] > slot.epoch;
  if (slot.requests && slot.recent_requests > kRequestsUntilMassRelease) {
    slot.recent_requests = 0;
    slot.requests = 0;
    end_epoch_at(slot, slot.longest_lease > slot.epoch ? slot.longest_lease : slot.epoch);
    return;
  }
  for (uint32_t i = 0; i < slot.requests; ++i) demote(slot, slot.request[i], slot.epoch);
  slot.requests = 0;
  end_epoch_at(slot, slot.epoch);
}

// The thread's next moment, which is not the last of its epoch: others may come after what it has done so far.
uint32_t publish_moment(Slot& slot) {
  uint32_t moment = slot.moment++;
  publish(slot, long_epoch(slot.generation, moment));
  return moment;
}

// Under slot.lock: what has been asked for from the request `first` on is given, and nothing else.
void give_some(Slot& slot, uint32_t first) {
  uint32_t moment = publish_moment(slot);
  for (uint32_t i = first; i < slot.requests; ++i) demote(slot, slot.request[i], moment);
  slot.requests = first;
  set_served(slot);
}

// Under slot.lock: puts the requests for lines that the thread keeps for a moment before the others. How many there are.
uint32_t put_kept_first(Slot& slot, uint64_t now) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < slot.requests; ++i) {
    uint32_t line = slot.request[i];
    if (!slot.tenure.is_kept(line, now)) continue;
    slot.request[i] = slot.request[kept];
    slot.request[kept++] = line;
  }
  return kept;
}

// Gives what is asked for; `keeps`: but for what the thread has just got. True if any line is lost.
bool serve(Slot& slot, bool keeps) {
  uint64_t now = timestamp();
  slot.lock.lock();
  uint32_t kept = keeps ? put_kept_first(slot, now) : 0, given = slot.requests - kept;
  bool is_new = false;
  for (uint32_t i = kept; i < slot.requests; ++i) is_new |= !slot.tenure.was_given(slot.request[i]);
  auto answer = given ? slot.tenure.answer(!keeps, is_new, now) : Tenure::Answer::kLine;
  if (answer == Tenure::Answer::kLater) kept = slot.requests, given = 0;
  // Who asked goes on asking while the limit is not the quiet one.
  uint64_t limit = kept ? slot.shared->count + kPollsUntilAskedAgain : slot.quiet_limit;
  __atomic_store_n(&slot.shared->limit, limit, __ATOMIC_RELAXED);
  if (kept && !given && !__atomic_load_n(&slot.awaited, __ATOMIC_RELAXED)) {
    slot.lock.unlock();
    return false;
  }
  __atomic_store_n(&slot.awaited, 0, __ATOMIC_RELAXED);
  for (uint32_t i = kept; i < slot.requests; ++i) slot.tenure.note_given(slot.request[i], now);
  bool all = slot.moment == slot.epoch || answer == Tenure::Answer::kAll;
  all ? give_all(slot) : give_some(slot, kept);
  slot.lock.unlock();
  wake_sleepers(slot);
  ++slot.shared->status.yields;
  return all || given;
}

}  // namespace

void demote(Slot& owner, uint32_t line, uint32_t last_use) {
  auto lower = [&](Permission& permission) {
    for (uint32_t& until : permission.until)
      if (until > last_use) store(until, last_use);
  };
  if (Page(line).is_fought_over()) return lower(owner.permissions[line]);
  uint32_t first = line & ~(kPageLines - 1);
  for (uint32_t l = first; l < first + kPageLines; ++l) lower(owner.permissions[l]);
  lower(owner.pages[line / kPageLines]);
}

void set_checked_epoch(Slot& slot) {
  bool all_fail = g_session->full_check || tracing() || slot.idling.is_watched();
  slot.shared->epoch = all_fail ? kEveryCheckFails : slot.epoch;
}

bool is_asked(const Slot& owner) {
  uint64_t quiet = __atomic_load_n(&owner.quiet_limit, __ATOMIC_RELAXED);
  return __atomic_load_n(&owner.shared->limit, __ATOMIC_ACQUIRE) != quiet;
}

void ownership_init(Slot& slot) {
  if (slot.epoch) return;  // a slot used again goes on where it was
  slot.epoch = g_session->first_epoch > kMoments ? g_session->first_epoch : kMoments;
  slot.moment = slot.epoch - kMoments + 1;
  set_checked_epoch(slot);
  slot.shared->limit = slot.quiet_limit = kNoLimit;
}

bool yield_if_asked(Slot& slot, bool keeps) {
  if (!is_asked(slot) || slot.keeps) return false;
  return serve(slot, keeps);
}

void let_others_follow(Slot& slot) {
  if (slot.moment == slot.epoch) return end_epoch(slot);
  publish_moment(slot);
  set_served(slot);
  wake_sleepers(slot);
}

void end_epoch(Slot& slot) {
  end_epoch_at(slot, slot.epoch);
  wake_sleepers(slot);
}

void give_up_all(Slot& slot) {
  slot.lock.lock();
  slot.requests = 0;
  end_epoch_at(slot, slot.longest_lease > slot.epoch ? slot.longest_lease : slot.epoch);
  slot.lock.unlock();
  wake_sleepers(slot);
}

void block_enter(Slot& slot, SlotState as) {
  if (tracing()) trace_close(slot);
  slot.lock.lock();
  slot.recent_requests = 0;
  give_all(slot);
  slot.shared->status.state = static_cast<uint32_t>(as);  // before `blocked`: who forks relies on it
  __atomic_store_n(&slot.blocked, 1, __ATOMIC_RELEASE);
  slot.lock.unlock();
  wake_sleepers(slot);
}

namespace {

// Where forks are recorded, the lock is released by an exchange, so that the look at g_freezing comes after the store before
// it: either we see that somebody forks, or that one sees us. Else nobody is ever frozen.
void set_blocked(Slot& slot, uint32_t blocked) {
  slot.lock.lock();
  __atomic_store_n(&slot.blocked, blocked, __ATOMIC_RELEASE);
  g_session->records_forks ? slot.lock.unlock_ordered() : slot.lock.unlock();
}

}  // namespace

void block_exit(Slot& slot) {
  set_blocked(slot, 0);
  while (is_frozen(slot)) {
    set_blocked(slot, 1);
    if (uint32_t by = __atomic_load_n(&g_freezing, __ATOMIC_SEQ_CST))
      raw(SYS_futex, &g_freezing, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, by, nullptr);
    set_blocked(slot, 0);
  }
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kRunning);
}

}  // namespace ana
