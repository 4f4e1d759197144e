// What a thread that is asked gives, and when. Times are in cycles that the tests choose.
#include "runtime/host/order/tenure.h"

#include <gtest/gtest.h>

namespace ana {
namespace {

using Answer = Tenure::Answer;

class TenureTest : public testing::Test {
 protected:
  void SetUp() override {
    g_tenure = {};
    set_tenure(8000, 1'000'000);  // a cycle is a nanosecond
    tenure.begin(now);
  }
  void TearDown() override { g_tenure = {}; }

  // A thread that takes `n` lines, one after the other.
  void take(uint64_t n, bool comes_back = false) {
    for (uint64_t i = 0; i < n; ++i, now += g_tenure.of_check, ++checks) tenure.note_check(comes_back);
  }
  // Is asked, and does what it answers.
  Answer is_asked(bool is_waiting = false, bool is_new = true) {
    Answer answer = tenure.answer(is_waiting, is_new, now);
    if (answer == Answer::kAll) tenure.begin(now);
    return answer;
  }
  void make_stormy() {
    for (int i = 0; i < 2000; ++i, now += 100) {
      tenure.begin(now);
      take(1);
      is_asked();
    }
    tenure.begin(now);
  }

  Tenure tenure;
  uint64_t now = 1'000'000'000, checks = 0, count = 0;
  uint8_t code[2]{};
  ColdCall poll{{}, code};
};

TEST_F(TenureTest, WhoWorksOnWhatOthersLeaveGivesAll) {
  take(1000);
  now += 10'000'000;
  EXPECT_EQ(is_asked(), Answer::kAll);
}

TEST_F(TenureTest, WhoCameBackGivesLinesAsLongAsThatIsCheaper) {
  now += 10'000'000;
  take(1000, true);
  uint64_t gifts = 0;
  for (; is_asked() == Answer::kLine; ++gifts) now += 1'000'000;
  EXPECT_EQ(gifts, 1000 * g_tenure.of_check / g_tenure.of_gift);
}

// To lose the rest would not save a single request.
TEST_F(TenureTest, WhatGoesToAndFroIsGivenForEver) {
  constexpr uint32_t kLine = 5;
  take(1000, true);
  EXPECT_FALSE(tenure.was_given(kLine));
  for (int i = 0; i < 1000; ++i, now += 20'000) {
    ASSERT_EQ(is_asked(false, i == 0), Answer::kLine) << i;
    tenure.note_given(kLine, now);
    EXPECT_TRUE(tenure.was_given(kLine));
    EXPECT_FALSE(tenure.was_given(kLine + 1));
    tenure.prolong(now, now + 2000);
  }
  tenure.begin(now + 1);
  EXPECT_FALSE(tenure.was_given(kLine));
}

// Nothing of it was the thread's before.
TEST_F(TenureTest, WorkOnWhatOthersLeaveIsNoStorm) {
  for (int i = 0; i < 100; ++i) {
    take(100);
    EXPECT_EQ(is_asked(), Answer::kAll) << i;
  }
}

// What is regained after each request is lost by it.
TEST_F(TenureTest, RegainingIsAStorm) {
  int epochs = 0;
  for (; tenure.left(now) == 0 && epochs < 1000; ++epochs) {
    take(100, true);
    tenure.answer(true, true, now);
    tenure.begin(now);
  }
  EXPECT_LT(epochs, 200);
}

TEST_F(TenureTest, InAStormThreadsTakeTurns) {
  make_stormy();
  uint64_t begin = now;
  take(10, true);
  while (is_asked() == Answer::kLater) now += 1000;
  EXPECT_GE(now - begin, g_tenure.slice);
  EXPECT_LE(now - begin, g_tenure.slice + 2000);
}

TEST_F(TenureTest, WhatIsLeftIsToldToWhoWaits) {
  EXPECT_EQ(tenure.left(now), 0u);
  make_stormy();
  now += 1'000'000;
  EXPECT_EQ(tenure.left(now), g_tenure.slice - 1'000'000);
  now += g_tenure.slice;
  EXPECT_EQ(tenure.left(now), 0u);
}

TEST_F(TenureTest, WhoWaitsAnswersAtOnceInAStorm) {
  make_stormy();
  take(1000, true);
  EXPECT_EQ(is_asked(true), Answer::kAll);
}

TEST_F(TenureTest, AStormEndsWhenNobodyAsksForLong) {
  make_stormy();
  int epochs = 0;
  for (; tenure.left(now) && epochs < 40; ++epochs) {
    tenure.begin(now);
    now += 50'000;
    tenure.answer(false, true, now);
  }
  EXPECT_LT(epochs, 20);
}

// Each of which would be cheaper than to lose all.
TEST_F(TenureTest, ManyGiftsAreAStorm) {
  now += 1'000'000;
  take(1'000'000, true);
  int gifts = 0;
  for (; is_asked() == Answer::kLine && gifts < 1000; ++gifts) now += 2000;
  EXPECT_LT(gifts, 200);
}

// A burst, and then peace for a long time, over and over.
TEST_F(TenureTest, BurstsAreNoStorm) {
  for (int i = 0; i < 50; ++i) {
    for (int k = 0; k < 50; ++k, now += 500) {
      take(1);
      EXPECT_NE(is_asked(), Answer::kLater) << i;
    }
    now += 1'000'000;
  }
}

TEST_F(TenureTest, WaitingIsNotUsing) {
  make_stormy();
  uint64_t left = tenure.left(now);
  tenure.prolong(now, now + 100'000);
  now += 100'000;
  EXPECT_EQ(tenure.left(now), left);
  // Not even if it has given all meanwhile.
  tenure.begin(now + 50'000);
  tenure.prolong(now, now + 100'000);
  EXPECT_EQ(tenure.left(now + 100'000), left);
}

TEST_F(TenureTest, ALineIsKeptByWhoWantsItBackAtOnce) {
  constexpr uint32_t kLine = 77;
  tenure.note_won(kLine, now, now);
  EXPECT_FALSE(tenure.is_kept(kLine, now));
  for (int i = 0; i < 10; ++i) {
    tenure.note_given(kLine, now);
    tenure.note_won(kLine, now + 100, now + 1000);
    now += 1000;
    EXPECT_TRUE(tenure.is_kept(kLine, now));
    EXPECT_FALSE(tenure.is_kept(kLine + 1, now));
  }
  EXPECT_TRUE(tenure.is_kept(kLine, now + 7'999));
  EXPECT_FALSE(tenure.is_kept(kLine, now + 8'000));
  // Who comes back later and later does not need it that soon.
  for (int i = 0; i < 20; ++i, now += 1'000'000) {
    tenure.note_given(kLine, now);
    tenure.note_won(kLine, now + 500'000, now + 500'000);
  }
  EXPECT_FALSE(tenure.is_kept(kLine, now - 500'000));
}

// A loop `while (!flag) ++tries`, which counts its polls in a register as well.
TEST_F(TenureTest, WhoSpinsIsSeen) {
  int polls = 0;
  do {
    count += 16;
    poll.registers[1] = 0x7000 + count;
    poll.registers[2] = static_cast<uint64_t>(-count);
    poll.registers[5] = 0;
  } while (++polls < 20 && !tenure.is_spinning(poll, count, checks));
  EXPECT_GT(polls, 2);
  EXPECT_LT(polls, 20);
}

// Through two polls, of which each is met every other time.
TEST_F(TenureTest, WhoSpinsThroughSeveralPollsIsSeen) {
  int polls = 0;
  do {
    poll.behind = code + polls % 2;
    poll.registers[3] = polls % 2;
  } while (++polls < 40 && !tenure.is_spinning(poll, count += 17, checks));
  EXPECT_LT(polls, 40);
}

TEST_F(TenureTest, WhoWorksDoesNotSpin) {
  for (int i = 0; i < 20; ++i) {
    for (uint64_t& value : poll.registers) value += i * 3 + 5;
    EXPECT_FALSE(tenure.is_spinning(poll, count += 16, checks));
  }
}

// The same registers, but a line was taken in between.
TEST_F(TenureTest, WhoTakesLinesDoesNotSpin) {
  for (int i = 0; i < 20; ++i) {
    take(1);
    EXPECT_FALSE(tenure.is_spinning(poll, count += 16, checks));
  }
}

TEST_F(TenureTest, NobodyKeepsAnythingIfSaidSo) {
  g_tenure = {};
  set_tenure(0, 1'000'000);
  make_stormy();
  EXPECT_NE(is_asked(), Answer::kLater);
  tenure.note_given(5, now);
  tenure.note_won(5, now, now);
  EXPECT_FALSE(tenure.is_kept(5, now));
}

TEST_F(TenureTest, WhoWaitsForLongSleeps) {
  EXPECT_FALSE(should_sleep(0, 0, 1000));
  EXPECT_FALSE(should_sleep(0, 8000, 1000));
  EXPECT_TRUE(should_sleep(0, 1'000'000, 1000));
  EXPECT_FALSE(should_sleep(1'000'000, 1'000'000, 1000));  // it would lose more
  EXPECT_TRUE(should_sleep(0, 0, 1'000'000));
}

class IdlingTest : public TenureTest {
 protected:
  using Advice = Idling::Advice;
  // Lets others run until it is told something else than to go on. How long it has waited then.
  uint64_t wait() {
    uint64_t since = now;
    while ((advice = idling.advice(now, taken, cost)) == Advice::kGoOn && now < since + 10'000'000) {
      idling.go_on(now);
      now += 1000;
    }
    return now - since;
  }
  void wait_until_it_sleeps() {
    wait();
    EXPECT_EQ(advice, Advice::kBeWatched);
    idling.go_on(now);
    taken += 2;  // it has to take again what it looks at
    wait();
    EXPECT_EQ(advice, Advice::kSleep);
  }
  Idling idling;
  Advice advice = Advice::kGoOn;
  uint64_t cost = 0, taken = 0;
};

TEST_F(IdlingTest, WhoWaitsForAsLongAsSleepingTakesIsWatchedAndSleeps) {
  EXPECT_EQ(wait(), g_tenure.to_sleep);
  EXPECT_EQ(advice, Advice::kBeWatched);
  EXPECT_TRUE(idling.is_watched());
  idling.go_on(now);
  taken += 2;
  wait();
  EXPECT_EQ(advice, Advice::kSleep);
  EXPECT_EQ(idling.sleep(), g_tenure.to_sleep);
}

TEST_F(IdlingTest, WhoHasMuchToLoseWaitsForLonger) {
  cost = 100'000;
  EXPECT_EQ(wait(), g_tenure.to_sleep + cost);
}

TEST_F(IdlingTest, WaitingForWhatItLooksAtIsNoWork) {
  wait();
  idling.go_on(now);
  now += 1'000'000;
  ++taken;
  EXPECT_EQ(wait(), 0u);
  EXPECT_EQ(advice, Advice::kSleep);
}

// Being watched takes checks.
TEST_F(IdlingTest, WhatItCostsToBeWatchedDoesNotKeepItAwake) {
  wait();
  idling.go_on(now);
  cost = 10'000'000;
  EXPECT_EQ(wait(), 0u);
  EXPECT_EQ(advice, Advice::kSleep);
}

// It has been writing all the time, to what it had.
TEST_F(IdlingTest, WhoWritesDoesNotSleep) {
  wait();
  EXPECT_EQ(advice, Advice::kBeWatched);
  idling.go_on(now);
  idling.see(false);
  EXPECT_TRUE(idling.is_watched());
  idling.see(true);
  EXPECT_FALSE(idling.is_watched());
  uint64_t waited = wait();
  EXPECT_EQ(advice, Advice::kBeWatched);
  EXPECT_GE(waited, 100 * g_tenure.to_sleep);  // it is not watched that often
}

TEST_F(IdlingTest, WhoReadsMuchDoesNotSleep) {
  wait();
  EXPECT_TRUE(idling.is_watched());
  for (int i = 0; i < 1000; ++i) idling.see(false);
  EXPECT_FALSE(idling.is_watched());
}

TEST_F(IdlingTest, WhoWakesByItselfSleepsForLonger) {
  wait_until_it_sleeps();
  for (int i = 0; i < 10; ++i) {
    uint64_t before = idling.sleep();
    idling.go_on(now += before);
    taken += 2;
    EXPECT_EQ(wait(), 0u);
    EXPECT_EQ(advice, Advice::kSleep);
    EXPECT_GE(idling.sleep(), before);
  }
  EXPECT_EQ(idling.sleep(), 1'000'000u);
}

TEST_F(IdlingTest, WhoIsRousedLooksOftenFirst) {
  wait_until_it_sleeps();
  idling.go_on(now += idling.sleep(), true);
  EXPECT_FALSE(idling.is_watched());
  EXPECT_EQ(wait(), g_tenure.to_sleep);
}

TEST_F(IdlingTest, WhoGetsLinesOrWorksDoesNotSleep) {
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(idling.advice(now += 1000, taken += 3, 0), Advice::kGoOn);
    idling.go_on(now);
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(idling.advice(now += g_tenure.idle, taken, 0), Advice::kGoOn);
    idling.go_on(now);
  }
}

TEST_F(IdlingTest, NobodySleepsWhereNothingIsKept) {
  g_tenure = {};
  wait();
  EXPECT_EQ(advice, Advice::kGoOn);
}

}  // namespace
}  // namespace ana
