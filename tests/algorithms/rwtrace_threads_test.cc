// RWTrace with threads that really race: every value that was read names the write that it came from, so what was
// traced can be judged without a total order.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "algorithms/rwtrace.h"
#include "sim/deduce_war.h"

namespace ana::oracle {
namespace {

using namespace algorithms;

struct HeapHost {
  static constexpr bool kShared = true;
  void* allocate(size_t bytes) { return std::malloc(bytes); }
  void release(void* block, size_t) { std::free(block); }
  void pause(int& turns) {
    if (++turns > 100) std::this_thread::yield();
  }
};

class SpinLock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

struct Done {
  uint32_t granule;
  bool wrote;
  Event value;  // read; for a write, what it replaced
  std::vector<Edge> edges;
};

struct Sink1 {
  std::vector<Edge>& edges;
  void edge(Edge e) { edges.push_back(e); }
};

template <bool kTracesReads>
std::vector<std::vector<Done>> hammer(unsigned threads, unsigned granules, unsigned events, double write, uint64_t seed,
                                      uint64_t& local_reads) {
  using Tracer = RwTrace<HeapHost, kTracesReads>;
  struct alignas(64) Shared {
    SpinLock lock;
    typename Tracer::Granule granule{};
    std::atomic<uint64_t> value{0};
  };
  HeapHost host;
  Tracer tracer(host, threads);
  std::vector<Shared> memory(granules);
  std::vector<std::vector<Done>> done(threads);
  std::vector<typename Tracer::Thread> states(threads);
  std::atomic<unsigned> ready{0};
  auto body = [&](unsigned self) {
    auto& thread = states[self];
    std::mt19937_64 random(seed * 100 + self);
    // Lets others in at the worst moments, also on a machine with few cores.
    auto maybe_yield = [&] {
      if (random() % 32 == 0) std::this_thread::yield();
    };
    done[self].reserve(events);
    ready++;
    while (ready < threads) std::this_thread::yield();
    for (unsigned i = 0; i < events; ++i) {
      uint32_t g = random() % granules;
      Shared& at = memory[g];
      Done& d = done[self].emplace_back(Done{g, std::uniform_real_distribution<>(0, 1)(random) < write, {}, {}});
      Sink1 sink{d.edges};
      tracer.begin(thread);
      if (d.wrote) {
        at.lock.lock();
        d.value = Event::from_bits(at.value.load(std::memory_order_relaxed));
        tracer.write_before(thread, at.granule, g);
        maybe_yield();
        at.value.store(Event(self, thread.serial, true).bits(), std::memory_order_relaxed);
        tracer.write_after(thread, at.granule);
        at.lock.unlock();
        tracer.settle(thread, sink);
        continue;
      }
      auto attempt = tracer.read_before(thread, at.granule);
      maybe_yield();
      uint64_t value = at.value.load(std::memory_order_relaxed);
      maybe_yield();
      bool local = tracer.read_local(thread, at.granule, g);
      tracer.read_done(thread, attempt, local);
      if (!local) {
        at.lock.lock();
        value = at.value.load(std::memory_order_relaxed);
        tracer.read_locked(thread, at.granule, g);
        at.lock.unlock();
        tracer.settle(thread, sink);
      }
      d.value = Event::from_bits(value);
    }
  };
  for (unsigned i = 0; i < threads; ++i) tracer.start(states[i], i);
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) running.emplace_back(body, i);
  for (auto& t : running) t.join();
  for (auto& at : memory) tracer.forget(at.granule);
  for (auto& thread : states) {
    local_reads += thread.local_reads;
    tracer.stop(thread);
  }
  return done;
}

// Vector clocks of all events from program order and the edges; empty if these are cyclic.
std::vector<std::vector<std::vector<Serial>>> clocks_of(const std::vector<std::vector<Done>>& done,
                                                        const std::vector<sim::Dependence>& more) {
  size_t n = done.size();
  std::vector<std::vector<std::vector<Edge>>> edges(n);
  for (size_t t = 0; t < n; ++t) {
    for (const Done& d : done[t]) edges[t].push_back(d.edges);
  }
  for (const sim::Dependence& d : more)
    edges[d.sink][d.sink_serial - 1].push_back({d.source, d.source_serial, EdgeKind::war});
  std::vector<std::vector<std::vector<Serial>>> clocks(n);
  for (bool going = true; going;) {
    going = false;
    for (size_t t = 0; t < n; ++t) {
      while (clocks[t].size() < done[t].size()) {
        std::vector<Serial> clock = clocks[t].empty() ? std::vector<Serial>(n, 0) : clocks[t].back();
        bool waits = false;
        for (const Edge& e : edges[t][clocks[t].size()]) {
          if (clocks[e.thread].size() < e.serial) {
            waits = true;
            break;
          }
          const auto& source = clocks[e.thread][e.serial - 1];
          for (size_t i = 0; i < n; ++i) clock[i] = std::max(clock[i], source[i]);
        }
        if (waits) break;
        clock[t] = clocks[t].size() + 1;
        clocks[t].push_back(clock);
        going = true;
      }
    }
  }
  for (size_t t = 0; t < n; ++t) {
    if (clocks[t].size() < done[t].size()) return {};
  }
  return clocks;
}

// What the order leaves open: a write and the one it replaced, a read and its write, a read and the next write.
uint64_t judge(const std::vector<std::vector<Done>>& done, const std::vector<sim::Dependence>& more) {
  auto clocks = clocks_of(done, more);
  if (clocks.empty()) return ~uint64_t{0};
  std::map<std::pair<uint32_t, uint64_t>, Event> next;  // of each write and granule, the write that replaced it
  for (ThreadIndex t = 0; t < done.size(); ++t) {
    for (Serial s = 1; s <= done[t].size(); ++s) {
      const Done& d = done[t][s - 1];
      if (d.wrote) next[{d.granule, d.value.bits()}] = {t, s, true};
    }
  }
  uint64_t open = 0;
  auto covers = [&](Event after, Event before) {
    return clocks[after.thread()][after.time() - 1][before.thread()] >= before.time();
  };
  for (ThreadIndex t = 0; t < done.size(); ++t) {
    for (Serial s = 1; s <= done[t].size(); ++s) {
      const Done& d = done[t][s - 1];
      Event self(t, s, d.wrote);
      if (d.value && !covers(self, d.value)) ++open;
      if (d.wrote) continue;
      auto after = next.find({d.granule, d.value.bits()});
      if (after != next.end() && !covers(after->second, self)) ++open;
    }
  }
  return open;
}

std::vector<std::vector<sim::TracedEvent>> as_traced(const std::vector<std::vector<Done>>& done) {
  std::vector<std::vector<sim::TracedEvent>> threads;
  for (const auto& thread : done) {
    auto& events = threads.emplace_back();
    for (const Done& d : thread) events.push_back({{{d.granule, d.wrote}}, d.edges});
  }
  return threads;
}

struct Load {
  unsigned threads, granules;
  double write;
};
constexpr Load kLoads[] = {{2, 1, 0.1}, {2, 4, 0.5}, {4, 2, 0.2}, {4, 64, 0.05}, {6, 3, 0.02}, {3, 1, 0.9}};
constexpr unsigned kEvents = 20000;

TEST(RwTraceThreads, AllThreeDependencesAreTraced) {
  uint64_t local = 0;
  for (const Load& load : kLoads) {
    auto done = hammer<true>(load.threads, load.granules, kEvents, load.write, 1, local);
    EXPECT_EQ(judge(done, {}), 0u) << load.threads << " threads, " << load.granules << " granules";
  }
  EXPECT_GT(local, 0u);
}

TEST(RwTraceThreads, WriteAfterReadIsDeduced) {
  uint64_t local = 0, open_without = 0;
  for (const Load& load : kLoads) {
    auto done = hammer<false>(load.threads, load.granules, kEvents, load.write, 2, local);
    auto deduced = sim::deduce_war(as_traced(done));
    ASSERT_TRUE(deduced) << deduced.error().text;
    EXPECT_EQ(judge(done, *deduced), 0u) << load.threads << " threads, " << load.granules << " granules";
    open_without += judge(done, {});
  }
  EXPECT_GT(open_without, 0u);
  EXPECT_GT(local, 0u);
}

TEST(RwTraceThreads, AMissingEdgeIsNoticed) {
  uint64_t local = 0;
  auto done = hammer<true>(4, 4, kEvents, 0.2, 3, local);
  ASSERT_EQ(judge(done, {}), 0u);
  std::mt19937_64 random(4);
  for (auto& thread : done) {
    for (Done& d : thread) {
      if (!d.edges.empty() && random() % 20 == 0) d.edges.pop_back();
    }
  }
  EXPECT_GT(judge(done, {}), 0u);
}

}  // namespace
}  // namespace ana::oracle
