#include "runtime/host/order/tracing.h"

#include "algorithms/catalogue.h"
#include "algorithms/lock_order.h"
#include "algorithms/rwtrace.h"
#include "algorithms/tracer.h"
#include "runtime/host/order/granules.h"
#include "runtime/host/stream.h"

// Placement only: there is no <new> here.
inline void* operator new(size_t, void* at) noexcept { return at; }

namespace ana {

bool g_tracing;

namespace {

using namespace algorithms;

constexpr uint32_t kMaxRangesOfEvent = ANA_MAX_RANGES + kMaxPins;
constexpr uint32_t kMaxOptimistic = 72;  // granules of a read that is tried without locks

TracingHost g_host;
GranuleTable g_granules;

// What non-critical edges want to know of other threads: the clock as it was when it last changed, and the last event that
// is complete. Written by the owner under a sequence lock, read by anybody.
struct PublishedClock {
  uint32_t sequence;
  uint64_t edges;  // of the owner, when it last published
  Serial done;
  Serial clock[kMaxSlots];
};
PublishedClock* g_published[kMaxSlots];

struct PublishedOthers {
  void current(ThreadIndex thread, VectorClock& out) {
    PublishedClock& p = *__atomic_load_n(&g_published[thread], __ATOMIC_ACQUIRE);
    for (;;) {
      uint32_t sequence = __atomic_load_n(&p.sequence, __ATOMIC_ACQUIRE);
      for (unsigned i = 0; i < out.threads; ++i) out.at[i] = __atomic_load_n(&p.clock[i], __ATOMIC_RELAXED);
      __atomic_thread_fence(__ATOMIC_ACQUIRE);
      if (!(sequence & 1) && __atomic_load_n(&p.sequence, __ATOMIC_RELAXED) == sequence) break;
      pause();
    }
    out.at[thread] = __atomic_load_n(&p.done, __ATOMIC_ACQUIRE);  // pairs with publish(): the event is complete
  }
};
PublishedOthers g_others;

enum class Phase : uint8_t { kClosed, kTrying, kRepeat, kLocked };

struct EventState {
  Phase phase;
  LockSet locks;
  uint64_t count;
  uint64_t site;
  uint32_t ranges_count;
  AnaRange ranges[kMaxRangesOfEvent];
};

// Of one algorithm, chosen at the start.
struct Backend {
  void (*init)();
  void (*start)(Slot& slot);
  void (*begin)(Slot& slot, bool can_repeat);
  bool (*end)(Slot& slot);
};
Backend g_backend;

EventState* g_events[kMaxSlots];
void* g_threads[kMaxSlots];  // the algorithm's, of each slot

EventState& event_of(const Slot& slot) { return *g_events[slot.id]; }

template <class Use>
void for_granules(const EventState& event, Use use) {
  uint32_t shift = g_granules.shift();
  for (uint32_t i = 0; i < event.ranges_count; ++i) {
    uint64_t first = (event.ranges[i].first & ~ANA_RANGE_WRITE) >> shift, last = event.ranges[i].last >> shift;
    bool write = event.ranges[i].first & ANA_RANGE_WRITE;
    for (uint64_t granule = first; granule <= last; ++granule) use(granule, write);
  }
}

bool only_reads(const EventState& event) {
  for (uint32_t i = 0; i < event.ranges_count; ++i)
    if (event.ranges[i].first & ANA_RANGE_WRITE) return false;
  return true;
}

void lock_granules(EventState& event, bool share) {
  for_granules(event, [&](uint64_t granule, bool) { event.locks.add(granule, g_granules.shift()); });
  event.locks.lock(share);
  event.phase = Phase::kLocked;
}

AccessKind kind_of(bool write) { return write ? AccessKind::write : AccessKind::read; }

struct StreamSink {
  Slot& slot;
  uint64_t site;
  void edge(Edge edge) { log_edge(slot, site, edge.thread, edge.serial, 0); }
};

template <class A>
struct Algorithm {
  using Thread = typename A::Thread;
  using Granule = typename A::Granule;
  alignas(A) static inline char storage[sizeof(A)];

  static A& get() { return *reinterpret_cast<A*>(storage); }
  static Thread& thread(const Slot& slot) { return *static_cast<Thread*>(g_threads[slot.id]); }
  static Granule& granule(uint64_t number) { return *static_cast<Granule*>(g_granules.find(number)); }

  template <class... Rest>
  static void make(Rest&... rest) {
    new (storage) A(rest...);
    g_granules.init(g_session->granularity_shift, A::granule_bytes(g_session->max_threads));
  }
  static void start(Slot& slot) {
    g_threads[slot.id] = g_host.allocate(sizeof(Thread));
    get().start(thread(slot), slot.id);
  }
  static void number(Slot& slot) {
    get().skip_to(thread(slot), slot.shared->count);
    get().begin(thread(slot));
  }
};

// The six adaptive ones and MutexLock.
template <class A>
struct Adaptive : Algorithm<A> {
  using Base = Algorithm<A>;

  static void init() { Base::make(g_host, g_session->max_threads); }
  static void begin(Slot& slot, bool) {
    EventState& event = event_of(slot);
    A& algorithm = Base::get();
    auto& thread = Base::thread(slot);
    lock_granules(event, false);
    Base::number(slot);
    for_granules(event, [&](uint64_t g, bool write) { algorithm.check(thread, Base::granule(g), kind_of(write)); });
    StreamSink sink{slot, event.site};
    algorithm.settle(thread, sink);
    for_granules(event, [&](uint64_t g, bool write) { algorithm.update(thread, Base::granule(g), kind_of(write)); });
  }
  static bool end(Slot& slot) {
    event_of(slot).locks.unlock();
    return false;
  }
  static constexpr Backend kBackend{init, Base::start, begin, end};
};

template <class A>
struct NonCriticalEdges : Adaptive<A> {
  using Base = Adaptive<A>;

  static void init() { Base::make(g_host, g_session->max_threads, g_others); }
  // Others ask for any thread: all entries must be there.
  static void start(Slot& slot) {
    auto* published = static_cast<PublishedClock*>(g_host.allocate(sizeof(PublishedClock)));
    memset(published, 0, sizeof(*published));
    __atomic_store_n(&g_published[slot.id], published, __ATOMIC_RELEASE);
    Base::start(slot);
  }
  static bool end(Slot& slot) {
    auto& thread = Base::thread(slot);
    PublishedClock& p = *g_published[slot.id];
    uint64_t edges = slot.edges;
    if (edges != p.edges) {  // the clock changes with edges only
      p.edges = edges;
      __atomic_store_n(&p.sequence, p.sequence + 1, __ATOMIC_RELAXED);
      __atomic_thread_fence(__ATOMIC_RELEASE);
      for (unsigned i = 0; i < g_session->max_threads; ++i)
        __atomic_store_n(&p.clock[i], thread.state.clock.at[i], __ATOMIC_RELAXED);
      __atomic_store_n(&p.sequence, p.sequence + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&p.done, thread.serial, __ATOMIC_RELEASE);  // pairs with current()
    return Base::end(slot);
  }
  static constexpr Backend kBackend{init, start, Base::begin, end};
};

template <class A, bool kLocksReads>
struct ReadsAndWrites : Algorithm<A> {
  using Base = Algorithm<A>;
  struct Tries {
    typename A::Attempt attempt[kMaxOptimistic];
  };
  static inline Tries* tries[kMaxSlots];

  static void init() { Base::make(g_host, g_session->max_threads); }
  static void start(Slot& slot) {
    Base::start(slot);
    if constexpr (!kLocksReads) tries[slot.id] = static_cast<Tries*>(g_host.allocate(sizeof(Tries)));
  }
  static bool is_small(const EventState& event) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < event.ranges_count; ++i)
      n += (event.ranges[i].last >> g_granules.shift()) - (event.ranges[i].first >> g_granules.shift()) + 1;
    return n <= kMaxOptimistic;
  }

  static void begin(Slot& slot, bool can_repeat) {
    EventState& event = event_of(slot);
    A& algorithm = Base::get();
    auto& thread = Base::thread(slot);
    bool reads = only_reads(event);
    if (event.phase == Phase::kRepeat) {
      event.phase = Phase::kLocked;
    } else {
      Base::number(slot);
      if (!kLocksReads && reads && can_repeat && is_small(event)) {
        event.phase = Phase::kTrying;
        uint32_t n = 0;
        for_granules(event, [&](uint64_t g, bool) {
          tries[slot.id]->attempt[n++] = algorithm.read_before(thread, Base::granule(g));
        });
        return;
      }
      lock_granules(event, kLocksReads && reads);
    }
    for_granules(event, [&](uint64_t g, bool write) {
      if (write) algorithm.write_before(thread, Base::granule(g), g);
      else algorithm.read_locked(thread, Base::granule(g), g);
    });
  }

  static bool end(Slot& slot) {
    EventState& event = event_of(slot);
    A& algorithm = Base::get();
    auto& thread = Base::thread(slot);
    if (event.phase == Phase::kTrying) {
      bool local = true;
      for_granules(event, [&](uint64_t g, bool) { local &= algorithm.read_local(thread, Base::granule(g), g); });
      uint32_t n = 0;
      for_granules(event, [&](uint64_t, bool) { algorithm.read_done(thread, tries[slot.id]->attempt[n++], local); });
      if (local) return false;
      lock_granules(event, false);
      event.phase = Phase::kRepeat;
      return true;
    }
    for_granules(event, [&](uint64_t g, bool write) {
      if (write) algorithm.write_after(thread, Base::granule(g));
    });
    StreamSink sink{slot, event.site};
    algorithm.settle(thread, sink);
    event.locks.unlock();
    return false;
  }
  static constexpr Backend kBackend{init, start, begin, end};
};

using H = TracingHost;
using Others_ = PublishedOthers;

Backend backend_of(Name name) {
  switch (name) {
    case Name::optimal_vector: return Adaptive<OptimalVector<H>>::kBackend;
    case Name::optimal_non_critical: return NonCriticalEdges<OptimalNonCritical<H, Others_>>::kBackend;
    case Name::optimal_lamport: return Adaptive<OptimalLamport<H>>::kBackend;
    case Name::compressed_vector: return Adaptive<CompressedVector<H>>::kBackend;
    case Name::compressed_non_critical: return NonCriticalEdges<CompressedNonCritical<H, Others_>>::kBackend;
    case Name::compressed_lamport: return Adaptive<CompressedLamport<H>>::kBackend;
    case Name::mutex_lock: return Adaptive<MutexLock<H>>::kBackend;
    case Name::rwtrace_1: return ReadsAndWrites<RwTrace<H, false>, false>::kBackend;
    case Name::rwtrace_2: return ReadsAndWrites<RwTrace<H, true>, false>::kBackend;
    case Name::crew_lock: return ReadsAndWrites<RwTrace<H, false>, true>::kBackend;
    default: break;
  }
  fatal(ReportKind::kUnsupportedFeature, "recording with this algorithm");
}

void open_event(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site, bool can_repeat) {
  EventState& event = event_of(slot);
  if (event.phase != Phase::kRepeat) {
    trace_close(slot);
    if (count > kMaxRangesOfEvent) fatal(ReportKind::kUnsupportedFeature, "an access to more than 80 ranges at once");
    memcpy(event.ranges, ranges, count * sizeof(AnaRange));
    event.ranges_count = count;
    event.site = site;
    event.count = slot.shared->count;
    ++slot.shared->status.acquired;
  }
  g_backend.begin(slot, can_repeat);
}

}  // namespace

void tracing_init() {
  if (!recording() || !g_session->algorithm) return;
  g_backend = backend_of(static_cast<Name>(g_session->algorithm - 1));
  g_backend.init();
  g_tracing = true;
}

void tracing_start(Slot& slot) {
  if (slot.id >= g_session->max_threads)
    fatal(ReportKind::kUnsupportedFeature, "more threads at once than --max-threads allows", g_session->max_threads);
  if (g_events[slot.id]) return;
  g_events[slot.id] = static_cast<EventState*>(g_host.allocate(sizeof(EventState)));
  memset(g_events[slot.id], 0, sizeof(EventState));
  g_events[slot.id]->locks.clear();
  g_backend.start(slot);
}

void trace_begin(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  open_event(slot, ranges, count, site, true);
}

void trace_open(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  open_event(slot, ranges, count, site, false);
}

bool trace_end(Slot& slot) {
  if (g_backend.end(slot)) return true;
  event_of(slot).phase = Phase::kClosed;
  return false;
}

// The thread may have counted since: what the event still has to log belongs to its own count.
void trace_close(Slot& slot) {
  EventState& event = event_of(slot);
  if (event.phase == Phase::kClosed) return;
  uint64_t now = slot.shared->count;
  slot.shared->count = event.count;
  trace_end(slot);
  slot.shared->count = now;
}

void trace_object(Slot& slot, uint64_t object) {
  AnaRange range{object | ANA_RANGE_WRITE, object};
  trace_open(slot, &range, 1, kSiteOperation);
  trace_end(slot);
}

}  // namespace ana
