// The executions that the oracles are asked about.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>

#include "execution.h"

namespace ana::oracle {

// ANAPHORA_ORACLE_CASES multiplies the number of random executions, for the long form of these tests.
inline uint64_t cases(uint64_t normal) {
  const char* times = std::getenv("ANAPHORA_ORACLE_CASES");
  return times ? normal * std::strtoull(times, nullptr, 10) : normal;
}

inline Shape random_shape(std::mt19937_64& random, bool several) {
  Shape shape{static_cast<uint32_t>(2 + random() % 4), static_cast<uint32_t>(1 + random() % 4),
              static_cast<uint32_t>(2 + random() % 24)};
  shape.write = 0.1 + 0.1 * (random() % 7);
  shape.several = several ? 0.4 : 0;
  return shape;
}

// Until the first failure.
template <class Use>
void each_random(uint64_t seed, uint64_t count, bool several, Use use) {
  std::mt19937_64 random(seed);
  for (uint64_t i = 0; i < cases(count) && !testing::Test::HasFailure(); ++i) {
    use(random_execution(random, random_shape(random, several)));
  }
}

}  // namespace ana::oracle
