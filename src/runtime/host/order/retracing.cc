#include "runtime/host/order/retracing.h"

#include "algorithms/catalogue.h"

namespace ana {

bool g_retracing;

namespace {

const Retracer* g_retracer;
ReplayedEvent* g_events[kMaxSlots];

const Retracer* retracer_of(algorithms::Logs logs) {
  switch (logs) {
    case algorithms::Logs::raw_waw: return &kRetraceValues;
    case algorithms::Logs::versions: return &kRetraceVersions;
    default: return nullptr;
  }
}

}  // namespace

void retracing_init() {
  if (!replaying() || !g_session->algorithm) return;
  g_retracer = retracer_of(algorithms::entry(static_cast<algorithms::Name>(g_session->algorithm - 1)).logs);
  if (!g_retracer) return;
  g_retracer->init();
  g_retracing = true;
}

void retracing_start(Slot& slot) {
  if (!retracing() || g_events[slot.id]) return;
  g_events[slot.id] = static_cast<ReplayedEvent*>(TracingHost().allocate(sizeof(ReplayedEvent)));
  memset(g_events[slot.id], 0, sizeof(ReplayedEvent));
  g_retracer->start(slot);
}

void retrace_open(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  retrace_close(slot);
  ReplayedEvent& event = *g_events[slot.id];
  event.accesses.set(ranges, count);
  event.site = site;
  g_retracer->open(slot, event);
}

void retrace_close(Slot& slot) {
  ReplayedEvent& event = *g_events[slot.id];
  if (!event.is_open) return;
  event.is_open = false;
  g_retracer->close(slot, event);
}

}  // namespace ana
