// When looking for races by bytes at once is given up.
#include "analysis/byte_trial.h"

#include <gtest/gtest.h>

namespace ana::races {
namespace {

constexpr uint64_t kEnd = ByteTrial::kTrialEvents * 8;  // of each slot

LiveReference write_to(uint64_t address, uint64_t count) {
  LiveReference event{};
  event.what = LiveReference::pack(address, 8, true);
  event.site = 0x400000;
  event.count = count;
  return event;
}

LiveReference release(uint64_t count) {
  LiveReference event{};
  event.what = LiveReference::pack(0x1000, 1, false);
  event.count = count;
  event.told = Told::kRelease;
  event.ends_epoch = true;
  return event;
}

// Slot 0 accesses what `address` says, and releases something after each `epoch` of these; whether that is enough.
template <class Address>
bool gives_up(Address address, uint64_t accesses, uint64_t epoch, uint64_t first_count = 0) {
  RaceDetector detector;
  ByteTrial trial(detector, {kEnd});
  for (uint64_t i = 0; i < accesses && !trial.has_enough(); i++) {
    LiveReference events[] = {write_to(address(i), first_count + i), release(first_count + i)};
    trial.take(0, {events, i % epoch == epoch - 1 ? 2u : 1u});
  }
  EXPECT_FALSE(trial.wants_order() && !trial.has_enough());
  return trial.has_enough() && !trial.wants_order();
}

struct Sharing {
  uint64_t known = 0;       // of 8 releases, how many slot 1 acquires
  uint64_t epoch = 16;      // writes for each release
  uint64_t alone_until = 0;  // the count at which there is a second thread
  bool knows_order = false, by_lines = false;
};

// Slot 0 writes to the same eight places and releases something now and then.
bool wants_order(const Sharing& s) {
  RaceDetector detector;
  ByteTrial trial(detector, {kEnd, kEnd}, s.knows_order, s.by_lines);
  LiveReference create = release(s.alone_until), acquire = release(s.alone_until);
  create.told = Told::kCreate;
  create.what = LiveReference::pack(1, 1, false);
  acquire.told = Told::kAcquire;
  acquire.ends_epoch = false;
  trial.take(0, {&create, 1});
  for (uint64_t i = 0; i < ByteTrial::kTrialEvents && !trial.has_enough(); i++) {
    LiveReference events[] = {write_to(0x10000000 + i % 8 * kLineBytes, s.alone_until + i), release(s.alone_until + i)};
    events[1].counted = true;
    bool ends = i % s.epoch == s.epoch - 1;
    trial.take(0, {events, ends ? 2u : 1u});
    if (ends && i / s.epoch % 8 < s.known) trial.take(1, {&acquire, 1});
  }
  return trial.wants_order();
}

uint64_t walk(uint64_t i) { return 0x10000000 + i % (1 << 16) * 8; }
uint64_t far_apart(uint64_t i) { return 0x10000000 + i * kLineBytes; }

TEST(ByteTrial, GivesUpWhereLinesHaveLessToTell) {
  EXPECT_TRUE(gives_up(walk, ByteTrial::kTrialEvents, 64));
  EXPECT_FALSE(gives_up(walk, ByteTrial::kTrialEvents - 1, 64));  // too early to say
  EXPECT_FALSE(gives_up(walk, ByteTrial::kTrialEvents * 2, 1));   // as many lines as accesses
}

TEST(ByteTrial, WantsToKnowTheOrderIfNobodyComesAfterMost) {
  EXPECT_TRUE(wants_order({.known = 0}));
  EXPECT_TRUE(wants_order({.known = 1}));
  EXPECT_FALSE(wants_order({.known = 4}));
  EXPECT_FALSE(wants_order({.knows_order = true}));  // once
}

// By bytes it would be one replay more, by lines one instead of two.
TEST(ByteTrial, ByLinesMoreSynchronisationIsWorthIt) {
  EXPECT_FALSE(wants_order({.epoch = 4}));
  EXPECT_TRUE(wants_order({.epoch = 4, .by_lines = true}));
  EXPECT_FALSE(wants_order({.known = 4, .epoch = 4, .by_lines = true}));
}

// What the first thread has done alone does not count: nothing is synchronised there.
TEST(ByteTrial, TheHalfIsOfWhatThreadsDo) {
  EXPECT_TRUE(wants_order({.alone_until = kEnd + kEnd / 4}));
  EXPECT_FALSE(wants_order({.alone_until = kEnd * 2 - ByteTrial::kOrderEvents}));
}

TEST(ByteTrial, GivesUpWhereAnEpochHasMuch) {
  EXPECT_TRUE(gives_up(far_apart, ByteTrial::kMostInEpoch + 1, ~0ull));
  EXPECT_FALSE(gives_up(far_apart, ByteTrial::kMostInEpoch * 2, ByteTrial::kMostInEpoch));
}

// As one call of memset does it.
TEST(ByteTrial, GivesUpWhereLibraryFunctionsAccessMuch) {
  auto gives_up_after = [](uint64_t bytes) {
    RaceDetector detector;
    ByteTrial trial(detector, {kEnd});
    for (uint64_t at = 0; at < bytes; at += kMaxLiveBytes) {
      LiveReference event = write_to(0x10000000 + at, 1);
      event.what = LiveReference::pack(0x10000000 + at, kMaxLiveBytes, true);
      trial.take(0, {&event, 1});
    }
    return trial.has_enough();
  };
  constexpr uint64_t kMost = ByteTrial::kMostInEpoch * ByteTrial::kBytesAsOne;
  EXPECT_FALSE(gives_up_after(kMost / 2));
  EXPECT_TRUE(gives_up_after(kMost + kMaxLiveBytes));
}

TEST(ByteTrial, GoesOnInTheSecondHalf) {
  EXPECT_FALSE(gives_up(walk, ByteTrial::kTrialEvents * 2, ~0ull, kEnd / 2));
}

TEST(ByteTrial, GivesUpWhereBytesNeedTooMuchMemory) {
  EXPECT_FALSE(gives_up(far_apart, ByteTrial::kMostLines / 2, 64));
  EXPECT_TRUE(gives_up(far_apart, ByteTrial::kMostLines * 2, 64));
}

TEST(ByteTrial, TheDetectorIsToldEverything) {
  RaceDetector detector;
  ByteTrial trial(detector, {kEnd, kEnd});
  LiveReference create{};
  create.what = LiveReference::pack(1, 1, false);
  create.told = Told::kCreate;
  trial.take(0, {&create, 1});
  LiveReference first = write_to(0x2000, 1), second = write_to(0x2000, 1);
  trial.take(0, {&first, 1});
  trial.take(1, {&second, 1});
  ASSERT_EQ(detector.races().size(), 1u);
  EXPECT_EQ(detector.races()[0].second.slot, 1u);
}

}  // namespace
}  // namespace ana::races
