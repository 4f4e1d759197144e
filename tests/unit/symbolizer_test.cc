#include "cli/symbolizer.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

extern "C" {
__attribute__((noinline, used)) int symbolizer_test_one(int x) { return x * 3 + 1; }
__attribute__((noinline, used)) int symbolizer_test_two(int x) { return x * 5 + 2; }
}

namespace ana {
namespace {

uint64_t offset_of(int (*function)(int)) {
  Dl_info module;
  auto* address = reinterpret_cast<void*>(function);
  if (!::dladdr(address, &module)) return 0;
  return reinterpret_cast<uint64_t>(address) - reinterpret_cast<uint64_t>(module.dli_fbase);
}

TEST(Symbolizer, AnswersOneQuestionAfterTheOther) {
  Symbolizer symbolizer(std::filesystem::read_symlink("/proc/self/exe"));
  if (symbolizer.ask(offset_of(symbolizer_test_one)).empty()) GTEST_SKIP() << "no symbolizer here";
  for (int i = 0; i < 3; i++) {
    auto one = symbolizer.ask(offset_of(symbolizer_test_one)), two = symbolizer.ask(offset_of(symbolizer_test_two));
    ASSERT_EQ(one.size(), 2u);  // a function that is not inlined anywhere
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(one[0], "symbolizer_test_one");
    EXPECT_EQ(two[0], "symbolizer_test_two");
  }
  auto nothing = symbolizer.ask(0x7fffffffff00);
  EXPECT_EQ(nothing.size(), 2u);
}

TEST(Symbolizer, WithoutAFileThereIsNoAnswer) {
  Symbolizer symbolizer("/nonexistent/program");
  EXPECT_TRUE(symbolizer.ask(0x1000).empty());
  EXPECT_TRUE(symbolizer.ask(0x2000).empty());
}

}  // namespace
}  // namespace ana
