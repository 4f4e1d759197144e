// Instant Replay: a read waits until its granule has the version that it saw, a write also until that version has had
// its readers. What it waited for cannot go away: the next write waits for this event in turn.
#include <signal.h>

#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/retracing.h"
#include "runtime/host/order/version_codec.h"

namespace ana {
namespace {

using algorithms::Version;

struct Granule {
  uint64_t version, readers;
};
GranuleTable g_granules;
VersionGuesses* g_guesses[kMaxSlots];

Granule& granule_of(uint64_t number) { return *static_cast<Granule*>(g_granules.find(number)); }

// Times that a thread, after it has given its processor away, finds that all threads wait or have ended.
constexpr int kStillUntilEnd = 10'000;

bool nobody_moves() {
  for (uint32_t i = 0, n = slots_used(); i < n; ++i) {
    ThreadLife life;
    __atomic_load(&g_slots[i].life, &life, __ATOMIC_ACQUIRE);
    auto state = static_cast<SlotState>(__atomic_load_n(&g_slots[i].shared->status.state, __ATOMIC_RELAXED));
    bool moves = state != SlotState::kWaiting && state != SlotState::kParked;
    if (life == ThreadLife::kAlive && moves) return false;
  }
  return true;
}

void wait_for_version(Slot& slot, const Granule& granule, bool write, Version wanted, uint64_t site) {
  auto is_there = [&] {
    uint64_t version = __atomic_load_n(&granule.version, __ATOMIC_ACQUIRE);  // pairs with close()
    if (version > wanted.version) fatal(ReportKind::kDivergedOrder, "", slot.shared->count, site, site);
    if (version < wanted.version) return false;
    return !write || __atomic_load_n(&granule.readers, __ATOMIC_ACQUIRE) == wanted.readers;
  };
  if (is_there()) return;
  SlotStatus& status = slot.shared->status;
  ++status.waits;
  status.wait_site = site;
  status.state = static_cast<uint32_t>(SlotState::kWaiting);
  // Of a recording whose recorder was killed the slots were saved up to different times, so that what a thread waits
  // for may be missing: then it has come as far as the recording does.
  bool may_be_missing = g_session->end_signal == SIGKILL;
  for (int n = 0, still = 0; !is_there();) {
    if (!SpinLock::back_off(n) || !may_be_missing) continue;
    still = nobody_moves() ? still + 1 : 0;
    if (still < kStillUntilEnd) continue;
    slot.replay.final_count = slot.shared->count;  // even if it was saved to the end of the thread
    enforce_end(slot);
  }
  status.state = static_cast<uint32_t>(SlotState::kRunning);
}

void init() { g_granules.init(g_session->granularity_shift, sizeof(Granule)); }

void start(Slot& slot) {
  g_guesses[slot.id] = static_cast<VersionGuesses*>(TracingHost().allocate(sizeof(VersionGuesses)));
  memset(g_guesses[slot.id], 0, sizeof(VersionGuesses));
}

void open(Slot& slot, ReplayedEvent& event) {
  ReplayState& r = slot.replay;
  event.accesses.each_once(g_granules.shift(), [&](uint64_t number, bool write) {
    if (r.versions == r.versions_end) enforce_end(slot);
    Version wanted = get_version(*g_guesses[slot.id], number, write, r.versions);
    wait_for_version(slot, granule_of(number), write, wanted, event.site);
  });
  event.is_open = true;
}

void close(Slot&, ReplayedEvent& event) {
  event.accesses.each_once(g_granules.shift(), [&](uint64_t number, bool write) {
    Granule& granule = granule_of(number);
    if (!write) {
      __atomic_add_fetch(&granule.readers, 1, __ATOMIC_RELEASE);  // pairs with wait_for_version(): the read is over
      return;
    }
    __atomic_store_n(&granule.readers, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&granule.version, granule.version + 1, __ATOMIC_RELEASE);  // the same, with the write
  });
}

}  // namespace

constinit const Retracer kRetraceVersions{init, start, open, close};

}  // namespace ana
