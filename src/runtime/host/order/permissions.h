// What threads read of each other's permissions, for lines and for pages (page.h): both are tables of Permission,
// indexed by the line or by the page. The entry of a page bounds those of its lines from above, so that it may say of
// a use that it is live, or later than it was, but never that it is over when it is not.
#pragma once
#include "runtime/host/order/page.h"

namespace ana {

using PermissionTable = Permission* Slot::*;
constexpr PermissionTable kOfLines = &Slot::permissions, kOfPages = &Slot::pages;

inline uint32_t load(const uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
inline void store(uint32_t& word, uint32_t value) { __atomic_store_n(&word, value, __ATOMIC_RELEASE); }
inline void raise(uint32_t& word, uint32_t value) {
  if (word < value) store(word, value);
}

inline uint32_t epoch_of(const Slot& slot) { return load(slot.epoch); }

inline bool covers(const Slot& slot, const Slot& other, LongEpoch epoch) { return slot.clock[other.id] >= epoch; }

// What conflicting_owner() and log_dependences() find about a user, in one look: false if its permission is live or
// its last use not covered. Under the page's lock nobody raises a permission, so one that is seen dead stays so. The
// permission is read before the epoch and the generation: see invariant 2, and last_use().
inline bool can_follow(Slot& slot, uint32_t user, PermissionTable table, uint32_t at, bool as_writer) {
  if (!user || user == slot.id + 1) return true;
  const Slot& other = g_slots[user - 1];
  uint32_t until = load((other.*table)[at].until[as_writer]);
  if (until >= epoch_of(other)) return false;
  LongEpoch last = long_epoch(load(other.generation), until);
  slot.shared->status.dependences += last != 0;
  return covers(slot, other, last);
}

// The same about all users, who are those in `word`.
inline bool can_follow(Slot& slot, LineWord word, PermissionTable table, uint32_t at, bool write) {
  if (write && word.many_readers()) {
    for (uint32_t i = 0, n = slots_used(); i < n; ++i)
      if (!can_follow(slot, i + 1, table, at, false)) return false;
  } else if (write && !can_follow(slot, word.reader(), table, at, false)) {
    return false;
  }
  return can_follow(slot, word.writer(), table, at, true);
}

// Nobody else has used the line since the thread wrote it.
inline bool is_alone(const Slot& slot, LineWord word) {
  uint32_t me = slot.id + 1;
  return word.writer() == me && !word.many_readers() && (!word.reader() || word.reader() == me);
}

// Whether the thread comes back to what `word` is about, of which `mine` is its permission.
inline bool comes_back(const Slot& slot, LineWord word, const Permission& mine, bool write) {
  if (is_alone(slot, word)) return true;
  return !write && (word.many_readers() ? mine.until[0] != 0 : word.reader() == slot.id + 1);
}

// It lost it in one of the last epochs.
inline bool had_lately(const Slot& slot, const Permission& mine, bool write) {
  constexpr uint32_t kLately = 1024;  // epochs
  return mine.until[write] < slot.epoch && mine.until[write] + kLately * kMoments >= slot.epoch;
}

// Every other thread waits or is blocked: it misses nothing that this one takes ahead.
inline bool runs_alone(const Slot& slot) {
  constexpr uint32_t kMostLooked = 8;
  uint32_t n = slots_used();
  if (n > kMostLooked) return false;
  for (uint32_t i = 0; i < n; ++i) {
    const Slot& other = g_slots[i];
    if (i == slot.id || other.life != ThreadLife::kAlive) continue;
    if (!__atomic_load_n(&other.waits, __ATOMIC_RELAXED) && !__atomic_load_n(&other.blocked, __ATOMIC_RELAXED)) return false;
  }
  return true;
}

// Who keeps coming back to a line gets it for 1, 2, 4 ... further epochs.
inline uint32_t lease(LineWord word, bool again) {
  constexpr uint32_t kLongestLease = 4096, kLeaseShiftLimit = 12;  // in epochs
  if (!again || word.streak() < word.patience()) return 0;
  uint32_t steps = word.streak() - word.patience();
  return steps >= kLeaseShiftLimit ? kLongestLease : 1u << steps;
}

}  // namespace ana
