// Replay of traces that say more, or less, of accesses than edges do: in programs compiled with --every-access, each
// access is an event again, as it was in the recording (tracing.h).
//
//   rwtrace-1, crew-lock   nothing orders a write after a read: reads are shown what they saw (retrace_values.cc)
//   trace-all              the trace has the version of every granule of every event: events wait for them
//                          (retrace_versions.cc)
//
// Edges are waited for by the enforcer as ever, before the event. An event lasts until its access is over: in library
// code until the thread's next event, operation or poll. Whoever is about to wait closes it first.
#pragma once
#include "runtime/host/order/granules.h"
#include "runtime/host/slot.h"

namespace ana {

extern bool g_retracing;
// true in a replay of such a trace.
inline bool retracing() { return __builtin_expect(g_retracing, 0); }

void retracing_init();
// A slot is used for the first time; its schedule is there.
void retracing_start(Slot& slot);

void retrace_open(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site);
void retrace_close(Slot& slot);

// One way of doing it.
struct ReplayedEvent {
  bool is_open;  // set by open(): close() is to be called
  Accesses accesses;
  uint64_t site;
};
struct Retracer {
  void (*init)();
  void (*start)(Slot& slot);
  void (*open)(Slot& slot, ReplayedEvent& event);
  void (*close)(Slot& slot, ReplayedEvent& event);
};
extern const Retracer kRetraceValues, kRetraceVersions;

}  // namespace ana
