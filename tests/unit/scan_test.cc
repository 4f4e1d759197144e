// The functions that look at all lines of a range (runtime/interpose/hooks.S), with a table of permissions of our own.
#include <asm/prctl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "anaphora/runtime_abi.h"

// Where cold calls go; there are none here.
extern "C" {
void* ana_hooks[4];
}

namespace {

constexpr uint32_t kEpoch = 7;
constexpr uint64_t kLineBytes = uint64_t{1} << ANA_LINE_SHIFT;

// The stack below may be in use: the compiler does not know of the call.
#define SCAN(name)                                                                   \
  bool name(uint64_t first, uint64_t last) {                                         \
    bool missing;                                                                    \
    asm volatile("lea -128(%%rsp), %%rsp; call __ana_" #name "; lea 128(%%rsp), %%rsp" \
                 : "=@ccb"(missing), "+a"(first), "+d"(last)                         \
                 :                                                                   \
                 : "r11", "memory");                                                 \
    return missing;                                                                  \
  }
SCAN(scan_read)
SCAN(scan_write)

class Scan : public testing::Test {
 protected:
  struct Permission {
    uint32_t read, write;
  };

  void SetUp() override {
    void* at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    block_ = static_cast<char*>(at);
    *reinterpret_cast<uint32_t*>(block_ + ANA_GS_EPOCH) = kEpoch;
    ASSERT_EQ(syscall(SYS_arch_prctl, ARCH_SET_GS, block_), 0);
  }
  void TearDown() override {
    syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
    munmap(block_, kBytes);
  }

  Permission& of_line(uint64_t line) { return reinterpret_cast<Permission*>(block_ + ANA_GS_PERMISSIONS)[line]; }

  static constexpr uint64_t kBytes = ANA_GS_PERMISSIONS + sizeof(Permission) * (uint64_t{ANA_LINE_MASK} + 1);
  char* block_ = nullptr;
};

// Ranges of up to 21 lines, with every single line of them missing, or one beside them.
TEST_F(Scan, FindsTheLineThatIsMissing) {
  constexpr uint64_t kFirst = 3, kMost = 21;
  for (uint64_t line = 0; line < 2 * kMost; ++line) of_line(line) = {kEpoch, kEpoch + 1};
  for (uint64_t count = 1; count <= kMost; ++count) {
    uint64_t from = kFirst * kLineBytes + 63, to = (kFirst + count - 1) * kLineBytes;
    if (count == 1) std::swap(from, to);
    EXPECT_FALSE(scan_read(from, to)) << count;
    EXPECT_FALSE(scan_write(from, to)) << count;
    for (uint64_t missing = 0; missing < kFirst + count + 4; ++missing) {
      bool is_inside = missing >= kFirst && missing < kFirst + count;
      of_line(missing) = {kEpoch - 1, kEpoch + 1};
      EXPECT_EQ(scan_read(from, to), is_inside) << missing << " of " << count;
      EXPECT_FALSE(scan_write(from, to)) << missing << " of " << count;
      of_line(missing) = {kEpoch, kEpoch - 1};
      EXPECT_FALSE(scan_read(from, to)) << missing << " of " << count;
      EXPECT_EQ(scan_write(from, to), is_inside) << missing << " of " << count;
      of_line(missing) = {kEpoch, kEpoch + 1};
    }
  }
}

// Bits of an address above those of its line do not matter, unless the numbers of the lines wrap: then the runtime is asked.
TEST_F(Scan, AsksWhereTheNumbersOfLinesWrap) {
  constexpr uint64_t kTurn = (uint64_t{ANA_LINE_MASK} + 1) * kLineBytes;
  for (uint64_t line : {uint64_t{0}, uint64_t{1}, uint64_t{ANA_LINE_MASK} - 1, uint64_t{ANA_LINE_MASK}})
    of_line(line) = {kEpoch, kEpoch};
  EXPECT_FALSE(scan_read(kTurn, kTurn + kLineBytes));
  EXPECT_FALSE(scan_write(3 * kTurn - 2 * kLineBytes, 3 * kTurn - 1));
  EXPECT_TRUE(scan_read(kTurn - 1, kTurn));
  EXPECT_TRUE(scan_write(kTurn - 2 * kLineBytes, kTurn + kLineBytes));
}

}  // namespace
