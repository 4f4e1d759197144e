// The algorithms as the recorder's host compiles them: no C or C++ library, general registers only. That this links is
// the test; it also runs.
#include "algorithms/catalogue.h"
#include "algorithms/instant_replay.h"
#include "algorithms/lock_order.h"
#include "algorithms/octet.h"
#include "algorithms/value_shadow.h"
#include "algorithms/ownership_model.h"
#include "algorithms/rwtrace.h"

using namespace ana::algorithms;

namespace {

alignas(16) char g_memory[1 << 20];

struct BumpHost {
  static constexpr bool kShared = true;
  size_t used = 0;
  void* allocate(size_t bytes) {
    void* block = g_memory + used;
    used += (bytes + 15) & ~size_t{15};
    if (used > sizeof g_memory) __builtin_trap();
    return block;
  }
  void release(void*, size_t) {}
  void pause(int&) { __builtin_ia32_pause(); }
};

struct CountingSink {
  unsigned edges = 0;
  void edge(Edge) { ++edges; }
};

struct NobodyElse {
  void current(ThreadIndex, VectorClock& out) {
    for (unsigned i = 0; i < out.threads; ++i) out.at[i] = 0;
  }
};

// Two threads, read and write: one dependence.
template <class Tracer, class... Rest>
bool works(Rest&... rest) {
  BumpHost host;
  Tracer tracer(host, 300, rest...);
  typename Tracer::Thread a, b;
  typename Tracer::Granule granule{};
  tracer.start(a, 0);
  tracer.start(b, 299);
  CountingSink sink;
  tracer.access(a, granule, AccessKind::read, sink);
  tracer.access(b, granule, AccessKind::write, sink);
  tracer.forget(granule);
  tracer.stop(a);
  tracer.stop(b);
  return sink.edges == 1;
}

template <bool kTracesReads>
bool rwtrace_works() {
  BumpHost host;
  RwTrace<BumpHost, kTracesReads> tracer(host, 300);
  typename RwTrace<BumpHost, kTracesReads>::Thread a, b;
  RwGranule<kTracesReads> granule{};
  tracer.start(a, 0);
  tracer.start(b, 299);
  CountingSink sink;
  tracer.begin(a);
  tracer.write_before(a, granule, 0);
  tracer.write_after(a, granule);
  tracer.settle(a, sink);
  tracer.begin(b);
  auto attempt = tracer.read_before(b, granule);
  bool local = tracer.read_local(b, granule, 0);
  tracer.read_done(b, attempt, local);
  tracer.read_locked(b, granule, 0);
  tracer.settle(b, sink);
  return !local && sink.edges == 1;
}

struct OctetBump : BumpHost {
  Serial done(ThreadIndex) { return 1; }
  void lock_shared_state() {}
  void unlock_shared_state() {}
};

bool octet_works() {
  OctetBump host;
  Octet<OctetBump> octet(host, 2);
  Octet<OctetBump>::Thread a, b;
  Octet<OctetBump>::Granule granule{};
  octet.start(a, 0);
  octet.start(b, 1);
  CountingSink sink;
  octet.access(a, granule, AccessKind::write, sink);
  octet.access(b, granule, AccessKind::read, sink);
  return octet.transition(b) == Transition::conflict && sink.edges == 1;
}

struct NothingAwaited {
  bool awaited(ThreadIndex, uint32_t) const { return false; }
};

bool shadow_works() {
  using Shadow = ValueShadow<BumpHost, NothingAwaited>;
  BumpHost host;
  NothingAwaited awaiting;
  Shadow shadow(host, awaiting, 8);
  Shadow::Granule granule{};
  Shadow::Seen mine = 0, yours = 0;
  uint64_t memory = 7;
  shadow.overwrite(granule, mine, 0, 0, &memory);
  memory = 8;
  const unsigned char* content = shadow.present(granule, yours, [](ThreadIndex, uint32_t) { return false; });
  return content && *content == 7;
}

bool all_work() {
  NobodyElse others;
  InstantReplay all;
  InstantReplay::Thread reader;
  InstantReplay::Granule version{};
  all.start(reader, 0);
  return works<OptimalVector<BumpHost>>() && works<OptimalNonCritical<BumpHost, NobodyElse>>(others) &&
         works<OptimalLamport<BumpHost>>() && works<CompressedVector<BumpHost>>() &&
         works<CompressedNonCritical<BumpHost, NobodyElse>>(others) && works<CompressedLamport<BumpHost>>() &&
         works<MutexLock<BumpHost>>() && works<OwnershipModel<BumpHost>>() && rwtrace_works<false>() &&
         rwtrace_works<true>() && octet_works() &&
         all.access(reader, version, AccessKind::write).version == 0 && shadow_works() && find_algorithm("octet");
}

}  // namespace

extern "C" void* memset(void* to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) static_cast<volatile char*>(to)[i] = static_cast<char>(value);
  return to;
}
extern "C" void* memcpy(void* to, const void* from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) static_cast<volatile char*>(to)[i] = static_cast<const char*>(from)[i];
  return to;
}

extern "C" [[noreturn, gnu::force_align_arg_pointer]] void _start() {
  long status = all_work() ? 0 : 1;
  asm volatile("syscall" : : "a"(60), "D"(status) : "rcx", "r11", "memory");
  __builtin_unreachable();
}
