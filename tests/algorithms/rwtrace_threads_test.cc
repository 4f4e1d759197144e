// RWTrace with threads that really race.
#include <gtest/gtest.h>

#include <random>

#include "algorithms/rwtrace.h"
#include "racing.h"

namespace ana::oracle {
namespace {

using namespace algorithms;

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
      DoneSink sink{d.edges};
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
  EXPECT_EQ(host.used, 0u);
  return done;
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
    EXPECT_EQ(judge(done), 0u) << load.threads << " threads, " << load.granules << " granules";
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
    open_without += judge(done);
  }
  EXPECT_GT(open_without, 0u);
  EXPECT_GT(local, 0u);
}

TEST(RwTraceThreads, AMissingEdgeIsNoticed) {
  uint64_t local = 0;
  auto done = hammer<true>(4, 4, kEvents, 0.2, 3, local);
  ASSERT_EQ(judge(done), 0u);
  std::mt19937_64 random(4);
  for (auto& thread : done) {
    for (Done& d : thread) {
      if (!d.edges.empty() && random() % 20 == 0) d.edges.pop_back();
    }
  }
  EXPECT_GT(judge(done), 0u);
}

}  // namespace
}  // namespace ana::oracle
