#include "trace/machine.h"

#include <gtest/gtest.h>

namespace ana {
namespace {

TEST(MachineTest, TakesWhatMattersFromCpuinfo) {
  Machine m = parse_cpuinfo(
      "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu sse2 avx2 nopl rdrand avx512f\n\n"
      "processor\t: 1\nmodel name\t: Another\nflags\t\t: fpu\n");
  EXPECT_EQ(m.cpu, "Some CPU @ 3 GHz");
  EXPECT_EQ(m.features, (std::vector<std::string>{"avx2", "avx512f", "rdrand", "sse2"}));
}

TEST(MachineTest, OnlyMissingFeaturesMatter) {
  Machine recorded, present;
  recorded.features = {"avx", "sse2"};
  present.features = {"avx512f", "sse2"};
  EXPECT_EQ(missing_features(recorded, present), std::vector<std::string>{"avx"});
  EXPECT_TRUE(missing_features(present, present).empty());
}

TEST(MachineTest, KnowsThisOne) {
  Machine m = this_machine();
  EXPECT_FALSE(m.kernel.empty());
  EXPECT_GE(m.cores, 1u);
}

}  // namespace
}  // namespace ana
