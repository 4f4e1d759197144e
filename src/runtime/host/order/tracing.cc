#include "runtime/host/order/tracing.h"

#include "algorithms/catalogue.h"
#include "algorithms/instant_replay.h"
#include "algorithms/lock_order.h"
#include "algorithms/octet.h"
#include "algorithms/rwtrace.h"
#include "algorithms/tracer.h"
#include "runtime/host/order/granules.h"
#include "runtime/host/order/version_codec.h"
#include "runtime/host/stream.h"

// Placement only: there is no <new> here.
inline void* operator new(size_t, void* at) noexcept { return at; }

namespace ana {

bool g_tracing;

namespace {

using namespace algorithms;

constexpr uint32_t kMaxOptimistic = 72;  // granules of a read that is tried without locks

TracingHost g_host;
GranuleTable g_granules;

// What non-critical edges want to know of other threads: the clock as it was when it last changed, and the last event
// that is complete. Written by the owner under a sequence lock, read by anybody.
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
  Accesses accesses;
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
  event.accesses.each(g_granules.shift(), [&](uint64_t g, bool write, uint64_t, uint64_t) { use(g, write); });
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
  static void settle(Slot& slot) {
    slot.shared->status.dependences += get().dependences(thread(slot));
    StreamSink sink{slot, event_of(slot).site};
    get().settle(thread(slot), sink);
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
    Base::settle(slot);
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
  static uint64_t key_of(uint64_t granule) { return granule << g_granules.shift(); }
  static bool is_small(const EventState& event) {
    uint32_t n = 0;
    for_granules(event, [&](uint64_t, bool) { ++n; });
    return n <= kMaxOptimistic;
  }

  static void begin(Slot& slot, bool can_repeat) {
    EventState& event = event_of(slot);
    A& algorithm = Base::get();
    auto& thread = Base::thread(slot);
    bool reads = event.accesses.only_reads();
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
      if (write) algorithm.write_before(thread, Base::granule(g), key_of(g));
      else algorithm.read_locked(thread, Base::granule(g), key_of(g));
    });
  }

  static bool end(Slot& slot) {
    EventState& event = event_of(slot);
    A& algorithm = Base::get();
    auto& thread = Base::thread(slot);
    if (event.phase == Phase::kTrying) {
      bool local = true;
      for_granules(event, [&](uint64_t g, bool) {
        local &= algorithm.read_local(thread, Base::granule(g), key_of(g));
      });
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
    Base::settle(slot);
    event.locks.unlock();
    return false;
  }
  static constexpr Backend kBackend{init, start, begin, end};
};

// Where the threads are, for Octet: their last events that are complete.
struct OctetRecorder : TracingHost {
  struct alignas(64) Done {
    Serial serial;
  };
  Done at[kMaxSlots];
  SpinLock upgrades;
  Serial done(ThreadIndex thread) { return __atomic_load_n(&at[thread].serial, __ATOMIC_ACQUIRE); }
  void lock_shared_state() { upgrades.lock(); }
  void unlock_shared_state() { upgrades.unlock(); }
};
OctetRecorder g_octet_host;

struct OctetStates : Adaptive<Octet<OctetRecorder>> {
  using Base = Adaptive<Octet<OctetRecorder>>;

  static void init() { Base::make(g_octet_host, g_session->max_threads); }
  static void begin(Slot& slot, bool can_repeat) {
    Base::begin(slot, can_repeat);
    Transition transition = Base::get().transition(Base::thread(slot));
    ++slot.shared->status.transitions[static_cast<size_t>(transition)];
  }
  static bool end(Slot& slot) {
    Serial& done = g_octet_host.at[slot.id].serial;
    __atomic_store_n(&done, Base::thread(slot).serial, __ATOMIC_RELEASE);  // pairs with OctetRecorder::done()
    return Base::end(slot);
  }
  static constexpr Backend kBackend{init, Base::start, begin, end};
};

// Every event is logged with its versions. Objects are no references: what is done with them is ordered by edges,
// from the last operation of another thread.
struct EveryVersion {
  // What an event logs, put together here.
  struct Buffer {
    InstantReplay::Thread thread;
    VersionGuesses guesses;
    uint8_t* bytes;
    size_t size, capacity;
  };
  static inline Buffer* buffers[kMaxSlots];
  static constexpr size_t kFirstCapacity = 1024;

  static void init() { g_granules.init(g_session->granularity_shift, sizeof(InstantReplay::Granule)); }
  static void start(Slot& slot) {
    auto* buffer = buffers[slot.id] = static_cast<Buffer*>(g_host.allocate(sizeof(Buffer)));
    memset(buffer, 0, sizeof(Buffer));
    buffer->capacity = kFirstCapacity;
    buffer->bytes = static_cast<uint8_t*>(g_host.allocate(kFirstCapacity));
  }
  static void make_room(Buffer& buffer) {
    if (buffer.size + kMaxVersionBytes <= buffer.capacity) return;
    auto* larger = static_cast<uint8_t*>(g_host.allocate(2 * buffer.capacity));
    memcpy(larger, buffer.bytes, buffer.size);
    g_host.release(buffer.bytes, buffer.capacity);
    buffer.bytes = larger;
    buffer.capacity *= 2;
  }
  static void order_object(Slot& slot, EventState& event) {
    auto& last = *static_cast<Event*>(g_granules.find(event.accesses.range[0].last >> g_granules.shift()));
    if (last && last.thread() != slot.id) log_edge(slot, event.site, last.thread(), last.time(), 0);
    last = Event(slot.id, event.count, true);
  }
  static void begin(Slot& slot, bool) {
    EventState& event = event_of(slot);
    lock_granules(event, false);
    if (is_object(event.accesses.range[0].last)) return order_object(slot, event);
    Buffer& buffer = *buffers[slot.id];
    buffer.size = 0;
    event.accesses.each_once(g_granules.shift(), [&](uint64_t number, bool write) {
      auto& granule = *static_cast<InstantReplay::Granule*>(g_granules.find(number));
      Version seen = InstantReplay::access(buffer.thread, granule, kind_of(write));
      make_room(buffer);
      buffer.size += put_version(buffer.guesses, number, write, seen, buffer.bytes + buffer.size);
    });
    log_versions(slot, buffer.bytes, static_cast<uint32_t>(buffer.size));
  }
  static bool end(Slot& slot) {
    event_of(slot).locks.unlock();
    return false;
  }
  static constexpr Backend kBackend{init, start, begin, end};
};

using H = TracingHost;
using Others_ = PublishedOthers;

Backend backend_of(Name name) {
  switch (name) {
    case Name::trace_all: return EveryVersion::kBackend;
    case Name::optimal_vector: return Adaptive<OptimalVector<H>>::kBackend;
    case Name::optimal_non_critical: return NonCriticalEdges<OptimalNonCritical<H, Others_>>::kBackend;
    case Name::optimal_lamport: return Adaptive<OptimalLamport<H>>::kBackend;
    case Name::compressed_vector: return Adaptive<CompressedVector<H>>::kBackend;
    case Name::compressed_non_critical: return NonCriticalEdges<CompressedNonCritical<H, Others_>>::kBackend;
    case Name::compressed_lamport: return Adaptive<CompressedLamport<H>>::kBackend;
    case Name::octet: return OctetStates::kBackend;
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
    event.accesses.set(ranges, count);
    event.site = site;
    event.count = slot.shared->count;
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
  slot.shared->status.acquired += event_of(slot).phase != Phase::kRepeat;
  open_event(slot, ranges, count, site, true);
}

void trace_open(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  ++slot.shared->status.acquired;
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
  open_event(slot, &range, 1, kSiteOperation, false);
  trace_end(slot);
}

}  // namespace ana
