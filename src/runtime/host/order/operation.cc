#include "runtime/host/order/operation.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/chaos.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/order/references.h"
#include "runtime/host/order/retracing.h"
#include "runtime/host/order/stepping.h"
#include "runtime/host/order/tracing.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/stream.h"

namespace ana {
namespace {

constexpr uint64_t kAccessesPerComparison = 64;
constexpr int kStopTries = 200;  // of a millisecond
constexpr int kShortFreezeTries = 100, kFreezeTries = 400;

uint32_t g_stopping;  // slot + 1 of the thread that ends the program

// Somebody forks: the thread stays where it is until that is done. True if it did, so that it may have lost what it owned.
bool stay_frozen(Slot& slot) {
  if (!is_frozen(slot)) return false;
  --slot.shared->count;  // what it would have done next has not begun
  block_enter(slot, SlotState::kParked);
  block_exit(slot);  // returns when nobody forks
  ++slot.shared->count;
  return true;
}

bool must_stop(const Slot& slot) {
  uint32_t by = __atomic_load_n(&g_stopping, __ATOMIC_ACQUIRE);
  return __builtin_expect(by && by != slot.id + 1, 0);
}

// Of a blocked thread: it goes on by itself, up to where it meets the order again.
bool sleeps_for_line(const Slot& other) {
  return __atomic_load_n(&other.shared->status.state, __ATOMIC_RELAXED) == static_cast<uint32_t>(SlotState::kWaiting);
}

// The count goes back to where the thread was: what it would have done next has not begun.
[[noreturn]] void stop_here(Slot& slot) {
  --slot.shared->count;
  block_enter(slot);
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kParked);
  park_forever();
}

// --yield-at-checks: whoever relies on holding two lines at once without a check in between gets no such luck.
void disturb(Slot& slot) {
  uint32_t every = g_session->yield_at_checks;
  chaos_check(slot);
  if (!every || ++slot.checks_seen % every) return;
  give_up_all(slot);
  if (timestamp() >> 6 & 1) raw(SYS_sched_yield);
}

// A running hash of where accesses are made and to what: of the program's own at which edges are taken, or of all
// (--check=full). Logged now and then, and compared, so that a replay that goes another way is found soon. Not what they
// find there: a range may cover more than is accessed, and the insides of mutexes differ, since replay does not lock.
void compare_access(Slot& slot, const AnaRange& range, uint64_t site) {
  uint64_t seen[3] = {site, range.first, range.last};
  if (range.last >= layout::kAboveAll) seen[1] = seen[2] = 0;  // of MPI's memory, which is anywhere
  slot.access_hash = slot.access_hash * 31 + hash_bytes(seen, sizeof(seen));
  uint64_t n = ++slot.accesses_hashed;
  bool is_early = n < kAccessesPerComparison && !(n & (n - 1));
  if (!is_early && n % kAccessesPerComparison) return;
  if (recording()) {
    put_value(slot, kOpAccesses, slot.access_hash);
  } else if (get_value(slot, kOpAccesses) != static_cast<int64_t>(slot.access_hash)) {
    fatal(ReportKind::kDivergedAccess, "", slot.accesses_hashed, 0, site);
  }
}

uint64_t edges_taken(const Slot& slot) { return recording() ? slot.edges : slot.replay.next_edge; }

// By ownership or by an algorithm: valid until the thread's next event or operation. In replay, what the edges have let
// through is an event again if the trace's algorithm needs that, and told to who wants to know.
void take(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  if (replaying()) {
    if (retracing()) retrace_open(slot, ranges, count, site);
    if (tells_references()) tell_references(slot, ranges, count, site);
  } else if (tracing()) {
    trace_open(slot, ranges, count, site);
  } else {
    acquire_set(slot, ranges, count, site);
  }
}

// Pins are taken for the order; who wants to know of accesses has heard of them.
bool has_pins(const Slot& slot) { return slot.pins && !tells_synchronisation(); }

void take_with_pins(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  if (!has_pins(slot)) return take(slot, ranges, count, site);
  AnaRange all[ANA_MAX_RANGES + kMaxPins];
  memcpy(all, ranges, count * sizeof(AnaRange));
  memcpy(all + count, slot.pin, slot.pins * sizeof(AnaRange));
  take(slot, all, count + slot.pins, site);
}

// What the code behind a cold call says that it relies upon, into the control block. How many ranges there are.
uint32_t take_ranges(Slot& slot, const ColdCall& call, uint64_t site) {
  int ranges = read_cold_ranges(call, slot.shared->ranges);
  if (ranges < 0)
    fatal(ReportKind::kUnsupportedFeature, "a breakpoint behind a check, or other changes of code", 0, 0, site);
  return static_cast<uint32_t>(ranges);
}

// The handler has cold calls of its own, with ranges of their own.
bool deliver_keeping_ranges(Slot& slot, uint32_t count) {
  AnaRange kept[ANA_MAX_RANGES];
  memcpy(kept, slot.shared->ranges, count * sizeof(AnaRange));
  bool delivered = deliver_here(slot, SignalPoint::kPoll);
  memcpy(slot.shared->ranges, kept, count * sizeof(AnaRange));
  return delivered;
}

// What the code after a check may access: its own ranges and those held from before. An atomic access has a check of its
// own, of which it is the first range.
void tell_check(Slot& slot, uint32_t ranges, uint64_t site) {
  bool atomic = flags_of(site) & ANA_SITE_ATOMIC;
  if (atomic && tells_synchronisation()) tell_atomic(slot, slot.shared->ranges[0], site);
  if (tells_claims()) {
    for (uint32_t i = atomic; i < ranges; ++i) tell_access(slot, slot.shared->ranges[i], site, 0);
    return;
  }
  if (translating()) {
    if (looking() || translation_has(site)) return;
    fatal(ReportKind::kNotFollowed, "", 1, 0, site);
  }
  if (!stepping()) fatal(ReportKind::kNotFollowed, "", 0, 0, site);
  step_from_here(slot, ranges, site);
}

}  // namespace

void operation_due(Slot& slot, bool at_end) {
  if (replaying()) {
    enforce(slot, kSiteOperation);
    while (!at_end && is_signal_due(slot, SignalPoint::kWait)) deliver_here(slot, SignalPoint::kWait);
    if (!at_end && slot.replay.final_blocked && is_at_end(slot)) enforce_end(slot);
    return;
  }
  if (at_end) stay_frozen(slot);  // what begins may rely on what it owns
  if (must_stop(slot)) stop_here(slot);
  if (chaos_delay(slot, at_end ? ChaosPoint::kEnd : ChaosPoint::kBegin) && must_stop(slot)) stop_here(slot);
  if (at_end) yield_if_asked(slot, true);
  look_for_signals(slot);
}

void on_check(const ColdCall& call) {
  Slot& slot = self();
  auto at = reinterpret_cast<uint64_t>(cold_site(call.behind));
  uint32_t ranges = take_ranges(slot, call, at);
  uint64_t edges = edges_taken(slot);
  if (replaying()) {
    // Translated code does not come here for nothing but to tell.
    if (!translating() || slot.shared->check_due) enforce(slot, at);
    if (tells_references()) tell_check(slot, ranges, at);
  } else {
    if (tracing())
      fatal(ReportKind::kUnsupportedFeature, "recording with an algorithm code that was compiled without --every-access");
    disturb(slot);
    take_with_pins(slot, slot.shared->ranges, ranges, at);
  }
  if (g_session->full_check || edges_taken(slot) != edges) compare_access(slot, slot.shared->ranges[0], at);
}

// `call`: what the thread relies upon, if it is its code that polls.
static void poll(uint64_t at, const ColdCall* call) {
  Slot& slot = self();
  if (replaying()) {
    enforce(slot, at, true);
    while (is_signal_due(slot, SignalPoint::kPoll)) {
      deliver_here(slot, SignalPoint::kPoll);
      enforce(slot, at, true);
    }
    return;
  }
  bool frozen = stay_frozen(slot);
  if (must_stop(slot)) stop_here(slot);
  bool delayed = chaos_delay(slot, ChaosPoint::kPoll) || frozen;
  if (delayed && must_stop(slot)) stop_here(slot);
  bool signalled = is_signal_due(slot, SignalPoint::kPoll) && !slot.sections;
  bool keeps = !signalled && !delayed &&
               !(call && slot.tenure.is_spinning(*call, slot.shared->count, slot.shared->status.slow_checks));
  uint32_t ranges = call ? take_ranges(slot, *call, at) : 0;
  slot.at_poll = true;
  bool yielded = yield_if_asked(slot, keeps) || delayed;
  slot.at_poll = false;
  if (signalled) yielded |= deliver_keeping_ranges(slot, ranges);
  look_for_signals(slot);
  if (yielded && (ranges || slot.pins)) take_with_pins(slot, slot.shared->ranges, ranges, at);
}

void on_poll(const ColdCall& call) { poll(reinterpret_cast<uint64_t>(cold_site(call.behind)), &call); }
void on_library_poll(const AnaSite* site) { poll(reinterpret_cast<uint64_t>(site), nullptr); }

void on_begin(uint32_t ranges, const AnaSite* site) {
  Slot& slot = self();
  auto at = reinterpret_cast<uint64_t>(site);
  fit_ranges(slot.shared->ranges, slot.shared->ranges + ranges);
  bool repeated = slot.shared->retry;
  slot.shared->retry = 0;
  if (!repeated && reaches_limit(slot)) {
    if (replaying()) {
      enforce(slot, at);
    } else {
      stay_frozen(slot);
      if (must_stop(slot)) stop_here(slot);
      if (chaos_delay(slot, ChaosPoint::kPoll) && must_stop(slot)) stop_here(slot);
      yield_if_asked(slot);
    }
  }
  // Before the event: it logs.
  if (g_session->full_check && !repeated) compare_access(slot, slot.shared->ranges[0], at);
  if (replaying()) return take(slot, slot.shared->ranges, ranges, at);
  if (tracing()) return trace_begin(slot, slot.shared->ranges, ranges, at);
  disturb(slot);
  acquire_set(slot, slot.shared->ranges, ranges, at);
}

void on_end(uint32_t, const AnaSite*) {
  if (tracing()) self().shared->retry = trace_end(self());
  else if (retracing()) retrace_close(self());
}

void on_acquire(const AnaRange* ranges, uint32_t count, const AnaSite* site) {
  Slot& slot = self();
  auto at = reinterpret_cast<uint64_t>(site);
  if (replaying() && slot.shared->epoch) enforce(slot, at);
  if (g_session->full_check) compare_access(slot, ranges[0], at);  // before the event: it logs
  take_with_pins(slot, ranges, count, at);
}

void operation_acquire(Slot& slot, const AnaRange* ranges, uint32_t count) {
  take(slot, ranges, count, kSiteOperation);
}

void pin(const AnaRange& range) {
  Slot& slot = self();
  slot.pin[slot.pins++] = range;
}

void unpin() { --self().pins; }

void take_pins_again(Slot& slot) {
  if (has_pins(slot)) take(slot, slot.pin, slot.pins, kSiteOperation);
}

void stop_others(Slot& slot) {
  block_enter(slot);
  uint32_t nobody = 0;
  if (!__atomic_compare_exchange_n(&g_stopping, &nobody, slot.id + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    slot.shared->status.state = static_cast<uint32_t>(SlotState::kParked);
    park_forever();
  }
  for (int tries = 0; tries < kStopTries; ++tries) {
    bool all = true;
    for (uint32_t i = 0, n = slots_used(); i < n; ++i) {
      Slot& other = g_slots[i];
      if (i == slot.id || other.life != ThreadLife::kAlive) continue;
      __atomic_store_n(&other.shared->limit, 0, __ATOMIC_RELEASE);
      all &= __atomic_load_n(&other.blocked, __ATOMIC_ACQUIRE) && !__atomic_load_n(&other.writing, __ATOMIC_ACQUIRE) &&
             !sleeps_for_line(other);
    }
    if (all) break;
    timespec millisecond{0, 1'000'000};
    raw(SYS_nanosleep, &millisecond, nullptr);
  }
  block_exit(slot);
}

bool freeze_others(Slot& slot) {
  block_enter(slot);
  for (;;) {
    uint32_t nobody = 0;
    if (__atomic_compare_exchange_n(&g_freezing, &nobody, slot.id + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) break;
    raw(SYS_futex, &g_freezing, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, nobody, nullptr);
  }
  bool all = false;
  for (int tries = 0; !all && tries < kFreezeTries; ++tries) {
    all = true;
    for (uint32_t i = 0, n = slots_used(); i < n; ++i) {
      Slot& other = g_slots[i];
      if (i == slot.id || other.life != ThreadLife::kAlive || __atomic_load_n(&other.blocked, __ATOMIC_SEQ_CST)) continue;
      __atomic_store_n(&other.shared->limit, 0, __ATOMIC_RELEASE);
      all = false;
    }
    if (all) break;
    timespec moment{0, tries < kShortFreezeTries ? 20'000 : 1'000'000};
    raw(SYS_nanosleep, &moment, nullptr);
  }
  return all;
}

void thaw_others(Slot& slot) {
  __atomic_store_n(&g_freezing, 0, __ATOMIC_SEQ_CST);
  raw(SYS_futex, &g_freezing, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1 << 30);
  block_exit(slot);
}

void forget_stops() { g_stopping = g_freezing = 0; }

}  // namespace ana
