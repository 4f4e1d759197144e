// The six adaptive algorithms against brute force.
#include <gtest/gtest.h>

#include <cstdlib>

#include "run_tracer.h"

namespace ana::oracle {
namespace {

using namespace algorithms;

// ANAPHORA_ORACLE_CASES multiplies the number of random executions, for the long form of these tests.
uint64_t cases(uint64_t normal) {
  const char* times = std::getenv("ANAPHORA_ORACLE_CASES");
  return times ? normal * std::strtoull(times, nullptr, 10) : normal;
}

Shape random_shape(std::mt19937_64& random, bool several) {
  Shape shape{static_cast<uint32_t>(2 + random() % 4), static_cast<uint32_t>(1 + random() % 4),
              static_cast<uint32_t>(2 + random() % 24)};
  shape.write = 0.1 + 0.1 * (random() % 7);
  shape.several = several ? 0.4 : 0;
  return shape;
}

template <class Use>
void each_random(uint64_t seed, uint64_t count, bool several, Use use) {
  std::mt19937_64 random(seed);
  for (uint64_t i = 0; i < cases(count) && !testing::Test::HasFailure(); ++i) {
    use(random_execution(random, random_shape(random, several)));
  }
}

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

}  // namespace
}  // namespace ana::oracle
