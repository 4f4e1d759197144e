// Recording with one of the algorithms of src/algorithms (session->algorithm) instead of ownership. Every access of the
// program is then an event (anaphora-cc --every-access), and so is every operation on an object. The number of an event
// in its thread is the thread's count, so that edges are those of streams everywhere, and replay needs nothing new.
//
//   trace_begin() ... the access ... trace_end()     instrumented code
//   trace_open()  ... the access                     library code; closed by the thread's next event or operation
//   trace_object()                                   an operation on an object, inside an operation of the runtime
//
// An event has the locks of its granules from its begin to its end. Only the reads of rwtrace-1 and rwtrace-2 have none,
// unless they must be repeated.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

extern bool g_tracing;
// true in a recording by anything but ownership.
inline bool tracing() { return __builtin_expect(g_tracing, 0); }

void tracing_init();
// A slot is used for the first time.
void tracing_start(Slot& slot);

void trace_begin(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site);
// True if the access must be repeated, after another trace_begin().
bool trace_end(Slot& slot);
void trace_open(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site);
void trace_close(Slot& slot);
// Every operation on an object changes it. `object` is any number that names it.
void trace_object(Slot& slot, uint64_t object);

// Numbers of objects, apart from each other and from addresses of the program.
enum class ObjectKind : uint64_t { kOrder = 1, kThread = 2 };
inline bool is_object(uint64_t number) { return number >> 47 & 1; }
inline uint64_t object_number(ObjectKind kind, uint64_t index) {
  return 1ull << 47 | static_cast<uint64_t>(kind) << 40 | index << 12;
}

}  // namespace ana
