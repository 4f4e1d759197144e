// RWTrace (Jiang 2015): reads are tried without a lock and proved to be thread-local afterwards; writes take the lock.
// (1) traces read-after-write and write-after-write dependences; write-after-read follows from them (sim/deduce_war.h).
// (2) traces all three. CREWLock is (1) with a read/write lock around every access.
//
// The program's own load or store stands between the calls. Reading, Algorithm 1; for an event that touches several
// granules, each line for all of them:
//
//   begin(thread)
//   read_before(thread, granule)
//   ... load ...
//   local = read_local(thread, granule, key)
//   read_done(thread, granule, local)            of all granules together: all were local, or the event was not
//   if not local, with the locks of all granules:
//     ... load again ...
//     read_locked(thread, granule, key)
//     settle(thread, sink)
//
// Writing (and reading at the same time), Algorithm 2, with the locks of all granules:
//
//   begin(thread)
//   write_before(thread, granule, key)
//   ... store ...
//   write_after(thread, granule)
//   settle(thread, sink)
//
// (1) traces an edge for every event that a read has seen something of, not only for the latest of each thread: replay
// finds by them which value to show. Of the writes before a write the latest of each thread is enough.
//
// A thread-local read is wait-free. (1) has no fence on x86; (2) has one per access.
#pragma once
#include "algorithms/candidates.h"
#include "algorithms/latest_readers.h"
#include "algorithms/version_cache.h"

namespace ana::algorithms {

template <bool kTracesReads>
struct RwGranule {
  Event version;  // V(a): the last write
};
template <>
struct RwGranule<true> {
  Event version;
  LatestReaders readers;  // M_a
};
static_assert(sizeof(RwGranule<false>) == 8 && sizeof(RwGranule<true>) == 16);

// The paper's cache has roughly 10,000 entries.
template <Host H, bool kTracesReads, unsigned kCacheBits = 13>
class RwTrace {
 public:
  using Granule = RwGranule<kTracesReads>;
  struct Thread {
    ThreadIndex index;
    Serial serial;
    VersionCache<kCacheBits> cache;
    Candidates<Nothing> candidates;
    SourceEvents read_from;  // of (1)
    uint64_t local_reads;  // passed the test of thread-locality
  };

  static constexpr size_t granule_bytes(unsigned /*threads*/) { return sizeof(Granule); }

  RwTrace(H& host, unsigned threads) : host_(host), threads_(threads) {}

  void start(Thread& thread, ThreadIndex index) {
    thread.index = index;
    thread.serial = 0;
    thread.local_reads = 0;
    thread.cache.start(host_);
    thread.candidates.start(host_, threads_);
    if constexpr (!kTracesReads) thread.read_from.start(host_);
  }
  void stop(Thread& thread) {
    thread.cache.stop(host_);
    thread.candidates.stop(host_, threads_);
    if constexpr (!kTracesReads) thread.read_from.stop(host_);
  }

  void skip_to(Thread& thread, Serial serial) { thread.serial = serial - 1; }
  void begin(Thread& thread) { ++thread.serial; }

  // What read_done() needs to put back.
  struct Attempt {
    LatestReaders::Cell* cell;
    uint64_t before;
  };

  Attempt read_before(Thread& thread, Granule& granule) {
    if constexpr (kTracesReads) {
      // Without a cell the thread has never had the lock, so the test will fail.
      if (LatestReaders::Cell* cell = granule.readers.find(thread.index))
        return {cell, LatestReaders::attempt(*cell, thread.serial)};
    }
    return {};
  }

  bool read_local(Thread& thread, Granule& granule, uint64_t key) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);  // after the load; pairs with the fence in write_before()
    uint64_t version = __atomic_load_n(reinterpret_cast<uint64_t*>(&granule.version), __ATOMIC_RELAXED);
    return thread.cache.believes(key, Event::from_bits(version));
  }

  void read_done(Thread& thread, Attempt attempt, bool local) {
    if (attempt.cell && local) {
      LatestReaders::done(*attempt.cell, thread.serial);
    } else if (attempt.cell) {
      LatestReaders::failed(*attempt.cell, attempt.before);
    }
    thread.local_reads += local;
  }

  void read_locked(Thread& thread, Granule& granule, uint64_t key) {
    Event version = granule.version;
    bool others = version && version.thread() != thread.index;
    if (others && !thread.cache.believes(key, version)) {
      if constexpr (kTracesReads) thread.candidates.add(version, false, {});
      else thread.read_from.add(host_, version);
    }
    if constexpr (kTracesReads) granule.readers.insert(host_, thread.index, thread.serial);
    thread.cache.learn(key, version);
  }

  void write_before(Thread& thread, Granule& granule, uint64_t key) {
    Event former = granule.version, version(thread.index, thread.serial, true);
    if (former && former.thread() != thread.index) thread.candidates.add(former, true, {});
    __atomic_store_n(reinterpret_cast<uint64_t*>(&granule.version), version.bits(), __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);  // before the store; pairs with the fence in read_local()
    thread.cache.learn(key, version);
  }

  void write_after(Thread& thread, Granule& granule) {
    if constexpr (kTracesReads) {
      granule.readers.query(host_, thread.index, [&](ThreadIndex reader, Serial serial) {
        thread.candidates.add({reader, serial, false}, true, {});
      });
      granule.readers.insert(host_, thread.index, 0);  // so that the thread finds its cell when it reads
    }
  }

  template <Sink S>
  void settle(Thread& thread, S& sink) {
    if constexpr (!kTracesReads) {
      for (Event e : thread.read_from) sink.edge({e.thread(), e.time(), EdgeKind::raw});
    }
    for (const auto& c : thread.candidates) {
      if (kTracesReads || !thread.read_from.cover(c.event)) sink.edge({c.event.thread(), c.event.time(), c.kind});
    }
    thread.candidates.clear();
    if constexpr (!kTracesReads) thread.read_from.clear();
  }

  // Before settle().
  unsigned dependences(const Thread& thread) const {
    return thread.candidates.size() + (kTracesReads ? 0 : thread.read_from.size());
  }
  uint64_t time(const Thread& thread) const { return thread.serial; }

  void copy(Granule& to, const Granule& from) {
    to = from;
    if constexpr (kTracesReads) to.readers.copy(host_, from.readers);
  }
  void forget(Granule& granule) {
    if constexpr (kTracesReads) granule.readers.forget(host_);
    granule = {};
  }
  unsigned threads() const { return threads_; }

 private:
  H& host_;
  unsigned threads_;
};

}  // namespace ana::algorithms
