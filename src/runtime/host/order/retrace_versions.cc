// Instant Replay: a read waits until its granule has the version that it saw, a write also until that version has had its
// readers. What it waited for cannot go away: the next write waits for this event in turn.
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

void wait_for_version(Slot& slot, const Granule& granule, bool write, Version wanted, uint64_t site) {
  auto is_there = [&] {
    uint64_t version = __atomic_load_n(&granule.version, __ATOMIC_ACQUIRE);  // pairs with close()
    if (version > wanted.version) fatal(ReportKind::kDivergedOrder, "", slot.shared->count, site, site);
    return version == wanted.version && (!write || __atomic_load_n(&granule.readers, __ATOMIC_ACQUIRE) == wanted.readers);
  };
  if (is_there()) return;
  SlotStatus& status = slot.shared->status;
  ++status.waits;
  status.wait_site = site;
  status.state = static_cast<uint32_t>(SlotState::kWaiting);
  for (int n = 0; !is_there();) SpinLock::back_off(n);
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
