// Runs an algorithm over a small execution, as its hosts do, and keeps what it traced.
#pragma once
#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "algorithms/octet.h"
#include "algorithms/rwtrace.h"
#include "algorithms/tracer.h"
#include "execution.h"
#include "sim/arena_host.h"
#include "sim/exact_others.h"
#include "sim/octet_arena.h"

namespace ana::oracle {

using algorithms::Edge;
using sim::ArenaHost;
using sim::ExactOthers;

struct Traced {
  std::vector<std::vector<Edge>> edges;  // of each event
  std::vector<uint64_t> times;           // of each event, serial or Lamport time
  size_t leaked = 0;                     // bytes that the host did not get back

  size_t count() const {
    size_t n = 0;
    for (const auto& of_event : edges) n += of_event.size();
    return n;
  }
};

// Answers with any event that the thread has completed, the last or an older one.
class StaleOthers {
 public:
  explicit StaleOthers(std::mt19937_64& random) : random_(random) {}
  void know(const algorithms::VectorClock& clock) {
    clocks_.push_back(&clock);
    past_.emplace_back();
  }
  void completed(ThreadIndex thread) {
    const algorithms::VectorClock& clock = *clocks_[thread];
    past_[thread].emplace_back(clock.at, clock.at + clock.threads);
  }
  void current(ThreadIndex thread, algorithms::VectorClock& out) {
    const auto& past = past_[thread];
    size_t pick = random_() % (past.size() + 1);
    for (unsigned i = 0; i < out.threads; ++i) out.at[i] = pick == past.size() ? 0 : past[pick][i];
  }

 private:
  std::mt19937_64& random_;
  std::vector<const algorithms::VectorClock*> clocks_;
  std::vector<std::vector<std::vector<uint64_t>>> past_;
};

struct EdgeList {
  std::vector<Edge>& list;
  void edge(Edge e) { list.push_back(e); }
};

template <class Tracer, class Know, class Completed>
Traced run_tracer(Tracer& tracer, ArenaHost& host, size_t before, const Execution& execution, Know know,
                  Completed completed) {
  Traced traced;
  std::deque<typename Tracer::Thread> threads(execution.threads);
  std::vector<typename Tracer::Granule> granules(execution.granules);
  for (ThreadIndex i = 0; i < execution.threads; ++i) {
    tracer.start(threads[i], i);
    know(threads[i]);
  }
  for (const Happening& event : execution.events) {
    EdgeList sink{traced.edges.emplace_back()};
    auto& thread = threads[event.thread];
    if (event.accesses.size() == 1) {
      tracer.access(thread, granules[event.accesses[0].granule], event.accesses[0].kind, sink);
    } else {
      tracer.begin(thread);
      for (const Access& a : event.accesses) tracer.check(thread, granules[a.granule], a.kind);
      tracer.settle(thread, sink);
      for (const Access& a : event.accesses) tracer.update(thread, granules[a.granule], a.kind);
    }
    traced.times.push_back(tracer.time(thread));
    completed(event.thread);
  }
  for (auto& granule : granules) tracer.forget(granule);
  for (auto& thread : threads) tracer.stop(thread);
  traced.leaked = host.used() - before;
  return traced;
}

template <template <class> class T>
Traced run(const Execution& execution) {
  static ArenaHost host;
  size_t before = host.used();
  T<ArenaHost> tracer(host, execution.threads);
  return run_tracer(
      tracer, host, before, execution, [](auto&) {}, [](ThreadIndex) {});
}

template <template <class, class> class T>
Traced run(const Execution& execution) {
  static ArenaHost host;
  size_t before = host.used();
  ExactOthers others;
  T<ArenaHost, ExactOthers> tracer(host, execution.threads, others);
  return run_tracer(
      tracer, host, before, execution, [&](auto& t) { others.know(t.state.clock); }, [](ThreadIndex) {});
}

template <template <class, class> class T>
Traced run_stale(const Execution& execution, std::mt19937_64& random) {
  static ArenaHost host;
  size_t before = host.used();
  StaleOthers others(random);
  T<ArenaHost, StaleOthers> tracer(host, execution.threads, others);
  return run_tracer(
      tracer, host, before, execution, [&](auto& t) { others.know(t.state.clock); },
      [&](ThreadIndex thread) { others.completed(thread); });
}

inline Traced run_octet(const Execution& execution) {
  sim::OctetArena host;
  algorithms::Octet<sim::OctetArena> tracer(host, execution.threads);
  return run_tracer(
      tracer, host, 0, execution, [&](auto& t) { host.know(t.serial); }, [](ThreadIndex) {});
}

// `optimistic`: reads are tried without the lock first, as RWTrace does; otherwise as CREWLock.
// With a cache of few entries granules push each other out.
template <bool kTracesReads, unsigned kCacheBits = 6>
Traced run_rwtrace(const Execution& execution, bool optimistic = true) {
  using Tracer = algorithms::RwTrace<ArenaHost, kTracesReads, kCacheBits>;
  static ArenaHost host;
  size_t before = host.used();
  Tracer tracer(host, execution.threads);
  Traced traced;
  std::vector<typename Tracer::Thread> threads(execution.threads);
  std::vector<typename Tracer::Granule> granules(execution.granules);
  for (ThreadIndex i = 0; i < execution.threads; ++i) tracer.start(threads[i], i);
  for (const Happening& event : execution.events) {
    EdgeList sink{traced.edges.emplace_back()};
    auto& thread = threads[event.thread];
    bool only_reads = std::none_of(event.accesses.begin(), event.accesses.end(),
                                   [](const Access& a) { return algorithms::writes(a.kind); });
    tracer.begin(thread);
    bool local = only_reads && optimistic;
    std::vector<typename Tracer::Attempt> attempts;
    if (local) {
      for (const Access& a : event.accesses) attempts.push_back(tracer.read_before(thread, granules[a.granule]));
      for (const Access& a : event.accesses) local &= tracer.read_local(thread, granules[a.granule], a.granule);
      for (auto& attempt : attempts) tracer.read_done(thread, attempt, local);
    }
    if (!local) {
      for (const Access& a : event.accesses) {
        if (algorithms::writes(a.kind)) {
          tracer.write_before(thread, granules[a.granule], a.granule);
        } else {
          tracer.read_locked(thread, granules[a.granule], a.granule);
        }
      }
      for (const Access& a : event.accesses) {
        if (algorithms::writes(a.kind)) tracer.write_after(thread, granules[a.granule]);
      }
      tracer.settle(thread, sink);
    }
    traced.times.push_back(thread.serial);
  }
  for (auto& granule : granules) tracer.forget(granule);
  for (auto& thread : threads) tracer.stop(thread);
  traced.leaked = host.used() - before;
  return traced;
}

// Edges as places in the total order. With Lamport times, the source is the thread's event of that time.
inline std::vector<std::pair<size_t, size_t>> as_pairs(const Execution& execution, const Traced& traced) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < traced.edges.size(); ++i) {
    for (const Edge& e : traced.edges[i]) {
      size_t source = 0;
      while (execution.events[source].thread != e.thread || traced.times[source] != e.serial) ++source;
      pairs.push_back({source, i});
    }
  }
  return pairs;
}

}  // namespace ana::oracle
