// When a thread that is asked yields. Times are in cycles that the tests choose.
#include "runtime/host/order/tenure.h"

#include <gtest/gtest.h>

namespace ana {
namespace {

class TenureTest : public testing::Test {
 protected:
  void SetUp() override {
    g_tenure = {};
    set_tenure(8000, 1'000'000);  // a cycle is a nanosecond
    tenure.begin(kStart, 0);
  }
  void TearDown() override { g_tenure = {}; }

  // A thread that takes `n` lines, one after the other.
  void take(uint64_t n) {
    for (uint64_t i = 0; i < n; ++i, now += g_tenure.of_check, ++checks) tenure.note_taken(now);
  }
  // Comes to a poll as a thread that works: its registers are others each time.
  bool goes_on() {
    for (int i = 0; i < 16; ++i) poll.registers[i] = now * (i + 3);
    count += 16;
    return tenure.goes_on(&poll, count, checks, now);
  }
  // How long it keeps what it has, at the most.
  uint64_t keeps_for() {
    uint64_t begin = now;
    while (goes_on()) now += 100;
    return now - begin;
  }

  static constexpr uint64_t kStart = 1'000'000'000;
  Tenure tenure;
  uint64_t now = kStart, checks = 0, count = 0;
  uint8_t code[2]{};
  ColdCall poll{{}, code};
};

TEST_F(TenureTest, IsShortForOneLine) {
  take(1);
  EXPECT_TRUE(goes_on());
  now = kStart + 8000;
  EXPECT_FALSE(goes_on());
}

TEST_F(TenureTest, GrowsWithWhatWasTaken) {
  take(100);
  uint64_t few = keeps_for();
  EXPECT_GT(few, 50 * g_tenure.of_check);
  tenure.begin(now, checks);
  take(1000);
  EXPECT_GT(keeps_for(), 5 * few);
}

TEST_F(TenureTest, HasALongest) {
  take(1'000'000);
  now = kStart + g_tenure.longest;
  EXPECT_FALSE(goes_on());
}

TEST_F(TenureTest, WaitingIsNotUsing) {
  tenure.prolong(now, now + 100'000);
  now += 100'000;
  EXPECT_TRUE(goes_on());
  // Not even if it has yielded meanwhile.
  tenure.begin(now + 50'000, checks);
  tenure.prolong(now, now + 100'000);
  now += 100'000 + 7'900;
  EXPECT_TRUE(goes_on());
  now += 200;
  EXPECT_FALSE(goes_on());
}

TEST_F(TenureTest, WhoTakesNothingMoreYieldsEarlier) {
  take(500);
  uint64_t idle = keeps_for();
  tenure.begin(now, checks);
  uint64_t begin = now;
  take(500);
  for (uint64_t taken = now; goes_on(); now += 100)  // now and then, without getting more to take back
    if (now - taken > 10'000) tenure.note_taken(taken = now);
  EXPECT_GT(now - begin, idle + 500 * g_tenure.of_check);
}

// A loop `while (!flag) ++tries`, which counts its polls in a register as well.
TEST_F(TenureTest, WhoSpinsYields) {
  take(1000);
  bool kept = true;
  int polls = 0;
  for (; kept && polls < 20; ++polls, now += 500) {
    count += 16;
    poll.registers[1] = 0x7000 + count;
    poll.registers[2] = static_cast<uint64_t>(-count);
    poll.registers[5] = 0;
    kept = tenure.goes_on(&poll, count, checks, now);
  }
  EXPECT_FALSE(kept);
  EXPECT_GT(polls, 2);
}

// Through two polls, of which each is met every other time.
TEST_F(TenureTest, WhoSpinsThroughSeveralPollsYields) {
  take(1000);
  bool kept = true;
  for (int i = 0; kept && i < 40; ++i, now += 500) {
    poll.behind = code + i % 2;
    poll.registers[3] = i % 2;
    kept = tenure.goes_on(&poll, count += 17, checks, now);
  }
  EXPECT_FALSE(kept);
}

TEST_F(TenureTest, WhoSpinsOnOneLineKeepsItForAMoment) {
  take(1);
  for (now = kStart; now < kStart + 8000; now += 100) EXPECT_TRUE(tenure.goes_on(&poll, count += 16, checks, now));
}

// The same registers, but a line was taken in between.
TEST_F(TenureTest, WhoTakesLinesDoesNotSpin) {
  take(1000);
  for (int i = 0; i < 20; ++i) {
    take(1);
    EXPECT_TRUE(tenure.goes_on(&poll, count += 16, checks, now));
  }
}

TEST_F(TenureTest, NobodyKeepsAnythingIfSaidSo) {
  g_tenure = {};
  set_tenure(0, 1'000'000);
  take(1000);
  EXPECT_FALSE(goes_on());
}

TEST_F(TenureTest, WhoWaitsForLongSleeps) {
  EXPECT_FALSE(should_sleep(0, 0, 1000));
  EXPECT_FALSE(should_sleep(0, 8000, 1000));
  EXPECT_TRUE(should_sleep(0, 1'000'000, 1000));
  EXPECT_FALSE(should_sleep(1'000'000, 1'000'000, 1000));  // it would lose more
  EXPECT_TRUE(should_sleep(0, 0, 1'000'000));
}

}  // namespace
}  // namespace ana
