// The adaptive algorithms with threads that really race, each granule under a lock, as in the recorder: snapshots are
// shared between granules, and given back by other threads than took them.
#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <random>

#include "algorithms/lock_order.h"
#include "algorithms/tracer.h"
#include "racing.h"

namespace ana::oracle {
namespace {

using namespace algorithms;

// What each thread has let others know, under a lock: now and then, so that it is mostly old.
class PublishedClocks {
 public:
  PublishedClocks(unsigned threads) : clocks_(threads, std::vector<Serial>(threads, 0)), locks_(threads) {}
  void publish(ThreadIndex thread, const VectorClock& clock) {
    std::lock_guard lock(locks_[thread]);
    clocks_[thread].assign(clock.at, clock.at + clock.threads);
  }
  void current(ThreadIndex thread, VectorClock& out) {
    std::lock_guard lock(locks_[thread]);
    for (unsigned i = 0; i < out.threads; ++i) out.at[i] = clocks_[thread][i];
  }

 private:
  std::vector<std::vector<Serial>> clocks_;
  std::deque<SpinLock> locks_;
};

template <class Tracer, class... Rest>
std::vector<std::vector<Done>> hammer(unsigned threads, unsigned granules, double write, Rest&... published) {
  struct alignas(64) Shared {
    SpinLock lock;
    typename Tracer::Granule granule{};
    Event value;
  };
  HeapHost host;
  std::vector<std::vector<Done>> done(threads);
  {
    Tracer tracer(host, threads, published...);
    std::vector<Shared> memory(granules);
    std::vector<typename Tracer::Thread> states(threads);
    std::atomic<unsigned> ready{0};
    auto body = [&](unsigned self) {
      auto& thread = states[self];
      std::mt19937_64 random(self);
      ready++;
      while (ready < threads) std::this_thread::yield();
      for (unsigned i = 0; i < 20000; ++i) {
        uint32_t g = random() % granules;
        Done& d = done[self].emplace_back(Done{g, std::uniform_real_distribution<>(0, 1)(random) < write, {}, {}});
        DoneSink sink{d.edges};
        {
          std::lock_guard lock(memory[g].lock);
          d.value = memory[g].value;
          tracer.access(thread, memory[g].granule, d.wrote ? AccessKind::write : AccessKind::read, sink);
          if (d.wrote) memory[g].value = {self, thread.serial, true};
        }
        if (random() % 8 == 0) (published.publish(self, thread.state.clock), ...);
        if (random() % 64 == 0) std::this_thread::yield();
      }
    };
    for (unsigned i = 0; i < threads; ++i) tracer.start(states[i], i);
    std::vector<std::thread> running;
    for (unsigned i = 0; i < threads; ++i) running.emplace_back(body, i);
    for (auto& t : running) t.join();
    for (auto& at : memory) tracer.forget(at.granule);
    for (auto& thread : states) tracer.stop(thread);
  }
  EXPECT_EQ(host.used, 0u);
  return done;
}

constexpr struct {
  unsigned threads, granules;
  double write;
} kLoads[] = {{2, 1, 0.3}, {4, 8, 0.1}, {6, 64, 0.5}};

TEST(TracerThreads, OptimalVector) {
  for (auto& load : kLoads) {
    EXPECT_EQ(judge(hammer<OptimalVector<HeapHost>>(load.threads, load.granules, load.write)), 0u);
  }
}

TEST(TracerThreads, CompressedVector) {
  for (auto& load : kLoads) {
    EXPECT_EQ(judge(hammer<CompressedVector<HeapHost>>(load.threads, load.granules, load.write)), 0u);
  }
}

TEST(TracerThreads, MutexLock) {
  for (auto& load : kLoads) {
    EXPECT_EQ(judge(hammer<MutexLock<HeapHost>>(load.threads, load.granules, load.write)), 0u);
  }
}

TEST(TracerThreads, NonCritical) {
  for (auto& load : kLoads) {
    using P = PublishedClocks;
    P first(load.threads), second(load.threads);
    auto optimal = hammer<OptimalNonCritical<HeapHost, P>>(load.threads, load.granules, load.write, first);
    EXPECT_EQ(judge(optimal), 0u);
    auto compressed = hammer<CompressedNonCritical<HeapHost, P>>(load.threads, load.granules, load.write, second);
    EXPECT_EQ(judge(compressed), 0u);
  }
}

TEST(TracerThreads, AMissingEdgeIsNoticed) {
  auto done = hammer<OptimalVector<HeapHost>>(4, 8, 0.2);
  ASSERT_EQ(judge(done), 0u);
  for (auto& thread : done) {
    for (Done& d : thread) {
      if (d.edges.empty()) continue;
      auto without = done;
      size_t t = static_cast<size_t>(&thread - done.data()), i = static_cast<size_t>(&d - thread.data());
      without[t][i].edges.pop_back();
      EXPECT_GT(judge(without), 0u);
      return;
    }
  }
  FAIL() << "the threads never met";
}

}  // namespace
}  // namespace ana::oracle
