// The six adaptive algorithms against brute force.
#include <gtest/gtest.h>

#include "cases.h"
#include "run_tracer.h"

namespace ana::oracle {
namespace {

using namespace algorithms;

void expect_minimal(const Execution& execution) {
  Traced traced = run<OptimalVector>(execution);
  auto pairs = as_pairs(execution, traced);
  std::set<std::pair<size_t, size_t>> set(pairs.begin(), pairs.end());
  ASSERT_EQ(set, frontier_races(execution)) << execution.text();
  ASSERT_EQ(set.size(), pairs.size()) << execution.text();
  ASSERT_EQ(traced.leaked, 0u);
}

TEST(Adaptive, OptimalVectorIsTheTransitiveReduction) { each_random(1, 200000, false, expect_minimal); }
TEST(Adaptive, OptimalVectorIsTheTransitiveReductionOfLargeEvents) { each_random(2, 100000, true, expect_minimal); }
TEST(Adaptive, OptimalVectorIsTheTransitiveReductionOfAllSmallExecutions) {
  each_execution(2, 2, 6, expect_minimal);
  each_execution(3, 1, 6, expect_minimal);
  each_execution(3, 2, 5, expect_minimal);
}

void expect_sufficient(const Execution& execution, const Traced& traced) {
  ASSERT_EQ(open_pair(execution, implied(execution, as_pairs(execution, traced))), "");
  ASSERT_EQ(traced.leaked, 0u);
}

TEST(Adaptive, EdgesOrderEveryConflict) {
  for (bool several : {false, true}) {
    each_random(3, 50000, several, [](const Execution& execution) {
      expect_sufficient(execution, run<OptimalVector>(execution));
      expect_sufficient(execution, run<OptimalNonCritical>(execution));
      expect_sufficient(execution, run<CompressedVector>(execution));
      expect_sufficient(execution, run<CompressedNonCritical>(execution));
    });
  }
}

TEST(Adaptive, NonCriticalEdgesAreSoundWithWhateverTheHostKnows) {
  std::mt19937_64 random(4);
  for (bool several : {false, true}) {
    each_random(5, 50000, several, [&](const Execution& execution) {
      expect_sufficient(execution, run_stale<OptimalNonCritical>(execution, random));
      expect_sufficient(execution, run_stale<CompressedNonCritical>(execution, random));
    });
  }
}

// Stradal, section 2, Lamport clock condition. Which times an event gets is all that a replay with slice counters uses.
void expect_lamport_condition(const Execution& execution, const Traced& traced) {
  for (size_t i = 0; i < execution.events.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Happening &a = execution.events[j], &b = execution.events[i];
      if (a.thread == b.thread || conflict(a, b)) {
        ASSERT_LT(traced.times[j], traced.times[i]) << "events " << j << " and " << i << " in " << execution.text();
      }
    }
  }
}

TEST(Adaptive, LamportTimesOrderEveryConflict) {
  for (bool several : {false, true}) {
    each_random(6, 50000, several, [](const Execution& execution) {
      expect_lamport_condition(execution, run<OptimalLamport>(execution));
      expect_lamport_condition(execution, run<CompressedLamport>(execution));
    });
  }
}

// What the thesis says of trace sizes (5, "always performed at least as well"). True event by event.
void expect_at_most(const char* what, const Execution& execution, const Traced& fewer, const Traced& more) {
  for (size_t i = 0; i < fewer.edges.size(); ++i) {
    ASSERT_LE(fewer.edges[i].size(), more.edges[i].size()) << what << ", event " << i << " in " << execution.text();
  }
}

void expect_sizes(const Execution& execution) {
  Traced optimal = run<OptimalVector>(execution), compressed = run<CompressedVector>(execution);
  expect_at_most("optimal-lamport", execution, run<OptimalLamport>(execution), optimal);
  expect_at_most("optimal-non-critical", execution, run<OptimalNonCritical>(execution), optimal);
  expect_at_most("compressed-lamport", execution, run<CompressedLamport>(execution), compressed);
  expect_at_most("compressed-non-critical", execution, run<CompressedNonCritical>(execution), compressed);
}

TEST(Adaptive, LamportAndNonCriticalTraceNoMoreThanVector) {
  each_random(7, 50000, false, expect_sizes);
  each_execution(2, 2, 6, expect_sizes);
  each_execution(3, 2, 5, expect_sizes);
}

// Events of several granules: three of the four still trace no more. optimal-lamport traces every unordered reader,
// also one that another reader is known to come after, if the two read different granules.
TEST(Adaptive, LargeEventsTraceNoMoreThanVectorExceptOptimalLamport) {
  each_random(8, 50000, true, [](const Execution& execution) {
    Traced optimal = run<OptimalVector>(execution), compressed = run<CompressedVector>(execution);
    expect_at_most("optimal-non-critical", execution, run<OptimalNonCritical>(execution), optimal);
    expect_at_most("compressed-lamport", execution, run<CompressedLamport>(execution), compressed);
    expect_at_most("compressed-non-critical", execution, run<CompressedNonCritical>(execution), compressed);
  });
  Execution smallest;
  smallest.threads = 3;
  smallest.granules = 2;
  smallest.add(0, {{0, AccessKind::write}, {1, AccessKind::read}});
  smallest.add(1, {{0, AccessKind::read}});
  smallest.add(2, {{1, AccessKind::write}, {0, AccessKind::write}});
  EXPECT_EQ(run<OptimalVector>(smallest).edges[2].size(), 1u);
  EXPECT_EQ(run<OptimalLamport>(smallest).edges[2].size(), 2u);
}

// Read sets beyond what stands in the granule, indices beyond a byte.
TEST(Adaptive, ManyThreads) {
  std::mt19937_64 random(9);
  for (uint64_t i = 0; i < cases(3000) && !HasFailure(); ++i) {
    Shape shape{300, 2, 60};
    shape.write = 0.05;
    shape.several = 0.1;
    Execution execution = random_execution(random, shape);
    expect_minimal(execution);
    expect_sufficient(execution, run<OptimalNonCritical>(execution));
    expect_sufficient(execution, run<CompressedVector>(execution));
    expect_lamport_condition(execution, run<OptimalLamport>(execution));
  }
}

}  // namespace
}  // namespace ana::oracle
