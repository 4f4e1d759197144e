// Standard streams. Every formatted or unformatted output function of a std::ostream starts with a sentry and ends with its
// destruction; in between it is a section on the stream, so that what libstdc++ does inside, unseen, is in order.
// The pass leaves the sentries to the library, so that these wrappers catch them all. Code that was not compiled by
// anaphora-c++ may have the destructor inlined: its sections end when the thread next comes to the runtime and the
// sentry's frame is no longer on the stack.
#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/runtime.h"

namespace {

using namespace ana;

// std::ostream::sentry, as libstdc++ lays it out since GCC 3.4.
struct Sentry {
  bool ok;
  void* stream;
};

// std::ostream: a vtable pointer, then std::ios with flags, width, fill, tied stream and buffer.
constexpr size_t kStreamBytes = 272;

// The thread's sentries whose sections have not ended, innermost last. The host has as many pins.
struct OpenStream {
  Sentry* sentry;
  void* stream;
};
constexpr uint32_t kMaxOpen = 16;
__thread OpenStream t_open[kMaxOpen];

void close_stream() {
  void* stream = t_open[--t_open_streams].stream;
  g_host->unpin();
  g_host->section_leave(stream, false);
}

using Constructor = void(Sentry*, void*);
using Destructor = void(Sentry*);

void construct(Constructor* real, Sentry* sentry, void* stream) {
  if (passive()) return real(sentry, stream);
  close_dead_streams(sentry + 1);  // one at the very place of this one is dead, too
  if (t_open_streams == kMaxOpen)
    g_host->fatal(ReportKind::kUnsupportedFeature, "more than 16 operations of streams inside each other", 0, 0);
  g_host->section_enter(stream, false);
  t_open[t_open_streams++] = {sentry, stream};
  // Instrumented code sets the width and the flags; the library resets the width after it has written.
  AnaRange range = access::range_of(stream, kStreamBytes, true);
  access::acquire(&range, 1, &kClaimSite);
  g_host->pin(range);
  real(sentry, stream);
}

void destroy(Destructor* real, Sentry* sentry) {
  real(sentry);
  if (passive()) return;
  close_dead_streams(sentry);
  if (t_open_streams && t_open[t_open_streams - 1].sentry == sentry) close_stream();
}

}  // namespace

namespace ana {

__thread uint32_t t_open_streams;

uint32_t count_dead_streams(const void* live) {
  uint32_t dead = 0;
  while (dead < t_open_streams && static_cast<const void*>(t_open[t_open_streams - 1 - dead].sentry) < live) ++dead;
  return dead;
}

void close_dead_streams(const void* live) {
  for (uint32_t dead = count_dead_streams(live); dead; --dead) close_stream();
}

}  // namespace ana

#define ANA_SENTRY(constructor, destructor)                                                          \
  ANA_EXPORT void constructor(Sentry* sentry, void* stream) {                                        \
    construct(&ANA_REAL_AS(Constructor, #constructor, nullptr), sentry, stream);                     \
  }                                                                                                  \
  ANA_EXPORT void destructor(Sentry* sentry) { destroy(&ANA_REAL_AS(Destructor, #destructor, nullptr), sentry); }

ANA_SENTRY(_ZNSo6sentryC1ERSo, _ZNSo6sentryD1Ev)
ANA_SENTRY(_ZNSo6sentryC2ERSo, _ZNSo6sentryD2Ev)
ANA_SENTRY(_ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryC1ERS2_, _ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryD1Ev)
ANA_SENTRY(_ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryC2ERS2_, _ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryD2Ev)
