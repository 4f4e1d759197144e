// RWTrace, locks, the ownership model, Instant Replay and Octet against brute force.
#include "algorithms/catalogue.h"
#include "algorithms/instant_replay.h"
#include "algorithms/lock_order.h"
#include "algorithms/octet.h"
#include "algorithms/ownership_model.h"
#include "cases.h"
#include "run_tracer.h"
#include "sim/deduce_war.h"

namespace ana::oracle {
namespace {

using namespace algorithms;
using Pairs = std::vector<std::pair<size_t, size_t>>;

void expect_sufficient(const Execution& execution, const Pairs& edges) {
  ASSERT_EQ(open_pair(execution, implied(execution, edges)), "");
}

// The accesses of each thread and the edges, without the total order.
std::vector<std::vector<sim::TracedEvent>> by_thread(const Execution& execution, const Traced& traced) {
  std::vector<std::vector<sim::TracedEvent>> threads(execution.threads);
  for (size_t i = 0; i < execution.events.size(); ++i) {
    sim::TracedEvent& event = threads[execution.events[i].thread].emplace_back();
    for (const Access& a : execution.events[i].accesses) event.accesses.push_back({a.granule, writes(a.kind)});
    event.edges = traced.edges[i];
  }
  return threads;
}

Pairs with_deduced(const Execution& execution, const Traced& traced) {
  Pairs edges = as_pairs(execution, traced);
  auto deduced = sim::deduce_war(by_thread(execution, traced));
  EXPECT_TRUE(deduced) << deduced.error().text;
  if (!deduced) return edges;
  for (const sim::Dependence& d : *deduced) {
    size_t source = execution.find(d.source, d.source_serial), sink = execution.find(d.sink, d.sink_serial);
    EXPECT_LT(source, sink) << execution.text();
    edges.push_back({source, sink});
  }
  return edges;
}

TEST(RwTrace, EdgesOrderEveryConflict) {
  for (bool several : {false, true}) {
    each_random(11, 50000, several, [](const Execution& execution) {
      Traced all = run_rwtrace<true>(execution), some = run_rwtrace<false>(execution);
      expect_sufficient(execution, as_pairs(execution, all));
      expect_sufficient(execution, with_deduced(execution, some));
      expect_sufficient(execution, as_pairs(execution, run_rwtrace<true, 1>(execution)));
      expect_sufficient(execution, with_deduced(execution, run_rwtrace<false, 1>(execution)));
      ASSERT_EQ(all.leaked + some.leaked, 0u);
    });
  }
}

// Tables of readers that grow.
TEST(RwTrace, ManyThreads) {
  std::mt19937_64 random(16);
  for (uint64_t i = 0; i < cases(2000) && !HasFailure(); ++i) {
    Shape shape{300, 2, 60};
    shape.write = 0.1;
    Execution execution = random_execution(random, shape);
    Traced all = run_rwtrace<true>(execution);
    expect_sufficient(execution, as_pairs(execution, all));
    expect_sufficient(execution, with_deduced(execution, run_rwtrace<false>(execution)));
    ASSERT_EQ(all.leaked, 0u);
  }
}

// The paper, V-B2: "consistent with RWTrace (1)". On the same execution they are the same.
TEST(RwTrace, CrewLockTracesTheSame) {
  each_random(12, 20000, true, [](const Execution& execution) {
    Traced optimistic = run_rwtrace<false>(execution), locked = run_rwtrace<false>(execution, false);
    ASSERT_EQ(as_pairs(execution, optimistic), as_pairs(execution, locked)) << execution.text();
  });
}

TEST(RwTrace, DeductionNeedsEveryEdge) {
  uint64_t noticed = 0, dropped = 0;
  each_random(13, 20000, false, [&](const Execution& execution) {
    Traced traced = run_rwtrace<false>(execution);
    for (size_t i = traced.edges.size(); i-- > 0;) {
      if (traced.edges[i].empty()) continue;
      traced.edges[i].clear();
      ++dropped;
      auto deduced = sim::deduce_war(by_thread(execution, traced));
      if (!deduced) {
        ++noticed;
        return;
      }
      Pairs edges = as_pairs(execution, traced);
      for (const sim::Dependence& d : *deduced)
        edges.push_back({execution.find(d.source, d.source_serial), execution.find(d.sink, d.sink_serial)});
      bool wrong = std::any_of(edges.begin(), edges.end(), [](auto& e) { return e.first >= e.second; });
      noticed += wrong || open_pair(execution, implied(execution, edges)) != "";
      return;
    }
  });
  EXPECT_GT(noticed, dropped / 2) << "of " << dropped;
}

TEST(RwTrace, DeductionRefusesImpossibleTraces) {
  std::vector<std::vector<sim::TracedEvent>> cyclic(2);
  cyclic[0].push_back({{{0, true}}, {{1, 1, EdgeKind::waw}}});
  cyclic[1].push_back({{{0, true}}, {{0, 1, EdgeKind::waw}}});
  auto result = sim::deduce_war(cyclic);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "the order is cyclic: event 1 of thread 0 can never happen");

  cyclic[0][0].edges = {{7, 1, EdgeKind::waw}};
  result = sim::deduce_war(cyclic);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "event 1 of thread 0 depends on event 1 of thread 7, which the trace does not have");

  cyclic[0][0].edges.clear();
  cyclic[1][0].edges.clear();
  result = sim::deduce_war(cyclic);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text,
            "the trace does not say which of two writes came first: event 1 of thread 0 or event 1 of thread 1");
}

TEST(MutexLock, EdgesOrderEveryPair) {
  for (bool several : {false, true}) {
    each_random(14, 20000, several, [](const Execution& execution) {
      Traced traced = run<MutexLock>(execution);
      Order order = implied(execution, as_pairs(execution, traced));
      expect_sufficient(execution, as_pairs(execution, traced));
      for (size_t i = 0; i < order.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          if (share_granule(execution.events[j], execution.events[i])) {
            ASSERT_TRUE(order[i] >> j & 1) << execution.text();
          }
        }
      }
      ASSERT_EQ(traced.leaked, 0u);
    });
  }
}

TEST(Ownership, EdgesOrderEveryConflict) {
  for (bool several : {false, true}) {
    each_random(15, 50000, several, [](const Execution& execution) {
      Traced traced = run<OwnershipModel>(execution);
      expect_sufficient(execution, as_pairs(execution, traced));
    });
  }
}

TEST(Octet, StatesChangeAsInThePaper) {
  sim::OctetArena host;
  Octet<sim::OctetArena> octet(host, 3);
  Octet<sim::OctetArena>::Thread a, b, c;
  for (auto* thread : {&a, &b, &c}) {
    octet.start(*thread, static_cast<ThreadIndex>(thread == &b ? 1 : thread == &c ? 2 : 0));
    host.know(thread->serial);
  }
  Octet<sim::OctetArena>::Granule x{}, y{};
  std::vector<Edge> edges;
  auto access = [&](auto& t, auto& g, AccessKind kind) {
    edges.clear();
    EdgeList sink{edges};
    octet.access(t, g, kind, sink);
    return octet.transition(t);
  };
  auto read = [&](auto& t, auto& g) { return access(t, g, AccessKind::read); };
  auto write = [&](auto& t, auto& g) { return access(t, g, AccessKind::write); };
  EXPECT_EQ(write(a, x), Transition::alloc);
  EXPECT_EQ(read(a, x), Transition::same);
  EXPECT_EQ(read(b, x), Transition::conflict);  // WrEx a -> RdEx b
  EXPECT_EQ(read(b, x), Transition::same);
  EXPECT_EQ(write(b, x), Transition::upgrade);  // RdEx b -> WrEx b
  EXPECT_EQ(read(a, x), Transition::conflict);  // WrEx b -> RdEx a
  EXPECT_EQ(read(b, x), Transition::upgrade);   // RdEx a -> RdSh 1
  EXPECT_EQ(read(b, x), Transition::same);
  EXPECT_EQ(read(c, x), Transition::fence);
  ASSERT_EQ(edges.size(), 1u);  // from b, which made it RdSh, although it has read since
  EXPECT_EQ(edges[0].thread, 1u);
  EXPECT_EQ(edges[0].serial, 4u);
  EXPECT_EQ(read(c, x), Transition::same);
  EXPECT_TRUE(edges.empty());
  EXPECT_EQ(write(c, x), Transition::conflict);  // RdSh -> WrEx c
  EXPECT_EQ(edges.size(), 2u);                   // all may have read
  EXPECT_EQ(write(a, x), Transition::conflict);  // WrEx c -> WrEx a
  EXPECT_EQ(read(c, y), Transition::alloc);
  EXPECT_EQ(access(c, y, AccessKind::update), Transition::same);
  EXPECT_EQ(read(a, y), Transition::conflict);
  EXPECT_EQ(read(b, y), Transition::upgrade);  // RdSh 2
  EXPECT_EQ(read(c, x), Transition::conflict);
  EXPECT_EQ(read(c, y), Transition::fence);  // has passed 1 only
  for (auto* thread : {&a, &b, &c}) octet.stop(*thread);
}

TEST(Octet, EdgesOrderEveryConflict) {
  for (bool several : {false, true}) {
    each_random(17, 50000, several, [](const Execution& execution) {
      Traced traced = run_octet(execution);
      expect_sufficient(execution, as_pairs(execution, traced));
      ASSERT_EQ(traced.leaked, 0u);
    });
  }
}

TEST(Catalogue, NamesAreFoundAgain) {
  std::string letters;
  for (size_t i = 0; i < std::size(kCatalogue); ++i) {
    EXPECT_EQ(static_cast<size_t>(kCatalogue[i].name), i);
    EXPECT_EQ(find_algorithm(kCatalogue[i].text), &kCatalogue[i]);
    if (kCatalogue[i].letter) letters += kCatalogue[i].letter;
  }
  EXPECT_EQ(letters, "onlcrm");
  EXPECT_EQ(find_algorithm("optimal"), nullptr);
  EXPECT_EQ(find_algorithm("optimal-vectors"), nullptr);
  EXPECT_EQ(find_algorithm(""), nullptr);
}

}  // namespace
}  // namespace ana::oracle
