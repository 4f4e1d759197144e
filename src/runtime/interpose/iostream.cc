// Standard streams. Every formatted or unformatted output function of a std::ostream starts with a sentry and ends with its
// destruction; in between it is a section on the stream, so that what libstdc++ does inside, unseen, is in order.
// The pass leaves the sentries to the library, so that these wrappers catch them all.
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

using Constructor = void(Sentry*, void*);
using Destructor = void(Sentry*);

void construct(Constructor* real, Sentry* sentry, void* stream) {
  if (passive()) return real(sentry, stream);
  g_host->section_enter(stream);
  // Instrumented code sets the width and the flags; the library resets the width after it has written.
  access::write(stream, kStreamBytes);
  g_host->pin(access::range_of(stream, kStreamBytes, true));
  real(sentry, stream);
}

void destroy(Destructor* real, Sentry* sentry) {
  void* stream = sentry->stream;
  real(sentry);
  if (passive()) return;
  g_host->unpin();
  g_host->section_leave(stream);
}

}  // namespace

#define ANA_SENTRY(constructor, destructor)                                                          \
  ANA_EXPORT void constructor(Sentry* sentry, void* stream) {                                        \
    construct(&ANA_REAL_AS(Constructor, #constructor, nullptr), sentry, stream);                     \
  }                                                                                                  \
  ANA_EXPORT void destructor(Sentry* sentry) { destroy(&ANA_REAL_AS(Destructor, #destructor, nullptr), sentry); }

ANA_SENTRY(_ZNSo6sentryC1ERSo, _ZNSo6sentryD1Ev)
ANA_SENTRY(_ZNSo6sentryC2ERSo, _ZNSo6sentryD2Ev)
ANA_SENTRY(_ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryC1ERS2_, _ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryD1Ev)
ANA_SENTRY(_ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryC2ERS2_, _ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryD2Ev)
