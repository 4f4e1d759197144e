// Lines that are taken in a run (order/granting.h), next to the same lines taken each for itself.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "runtime/host/order/granting.h"  // behind the library's headers: it has declarations of its own

namespace ana {

Slot g_slots[kMaxSlots];
SessionHeader* g_session;

namespace {

constexpr uint32_t kThreads = 3, kEpoch = 100 * kMoments;

class LineRunTest : public testing::Test {
 protected:
  void SetUp() override {
    for (uint64_t at : {layout::kLines, layout::kPages}) {
      void* place = reinterpret_cast<void*>(at);
      ASSERT_EQ(mmap(place, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), place);
    }
    header->slots_used = kThreads;
    g_session = header.get();
    for (uint32_t i = 0; i < kThreads; ++i) {
      Slot& slot = g_slots[i];
      slot.id = i;
      slot.epoch = kEpoch;
      slot.shared = &shared[i];
      slot.permissions = lines[i];
      slot.pages = pages[i];
    }
  }
  void TearDown() override {
    munmap(reinterpret_cast<void*>(layout::kLines), 4096);
    munmap(reinterpret_cast<void*>(layout::kPages), 4096);
  }

  // Few different states, so that many lines are alike: uses of the last epochs, of which some are live and some not covered.
  void make_state(uint32_t seed) {
    std::mt19937 random(seed);
    auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    g_slots[0].clock[1] = g_slots[0].clock[2] = kEpoch - below(3) * kMoments;
    g_slots[0].longest_lease = 0;
    g_slots[0].comes_back = false;
    shared[0].status = {};
    memset(pages, 0, sizeof pages);
    uint64_t word = 0;
    for (uint32_t line = 0; line < kPageLines; ++line) {
      if (below(4) == 0) {
        LineWord users = LineWord(0).with_writer(below(kThreads + 1));
        for (uint32_t n = below(3); n; --n) users = users.with_reader(1 + below(kThreads));
        for (uint32_t n = below(6); n; --n) users = users.with_longer_streak();
        word = users.with_next(below(12) == 0 ? 1 + below(kThreads) : 0).bits();
      }
      line_table()[line] = word;
      for (auto& thread : lines) {
        if (line && below(8)) {
          thread[line] = thread[line - 1];
          continue;
        }
        uint32_t write = below(3) ? kEpoch - (1 + below(4)) * kMoments : 0;
        thread[line] = {{below(20) == 0 ? kEpoch : write + below(2) * kMoments / 2, write}};
      }
    }
  }

  // What comes of it.
  template <class Take>
  std::vector<uint64_t> take_all(uint32_t seed, bool write, Take take) {
    make_state(seed);
    std::vector<uint64_t> outcome;
    for (uint32_t line = 0; line < kPageLines; ++line) {
      if (lines[0][line].until[write] >= kEpoch) continue;
      bool taken = take(line, LineWord(line_table()[line]), write);
      outcome.push_back(taken);
      granted += taken;
    }
    for (uint32_t line = 0; line < kPageLines; ++line)
      outcome.insert(outcome.end(), {line_table()[line], lines[0][line].until[0], lines[0][line].until[1]});
    const SlotStatus& status = shared[0].status;
    outcome.insert(outcome.end(), {status.acquired, status.dependences, g_slots[0].longest_lease,
                                   g_slots[0].comes_back, pages[0][0].until[0], pages[0][0].until[1]});
    return outcome;
  }

  std::unique_ptr<SessionHeader> header = std::make_unique<SessionHeader>();
  SlotShared shared[kThreads]{};
  Permission lines[kThreads][kPageLines]{}, pages[kThreads][1]{};
  uint64_t granted = 0;
};

TEST_F(LineRunTest, GrantsWhatEachLineByItselfWouldBe) {
  Slot& slot = g_slots[0];
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    bool write = seed % 2;
    auto by_itself = [&](uint32_t line, LineWord word, bool writes) {
      uint64_t before = shared[0].status.dependences;
      if (word.next() || !can_follow(slot, word, kOfLines, line, writes)) {
        shared[0].status.dependences = before;
        return false;
      }
      line_table()[line] = grant(slot, word, line, writes).bits();
      return true;
    };
    std::vector<uint64_t> expected = take_all(seed, write, by_itself);
    Page page(0);
    LineRun run(slot, page, write);
    std::vector<uint64_t> found = take_all(seed, write, [&](uint32_t line, LineWord word, bool) { return run.take(line, word); });
    ASSERT_EQ(found, expected) << "seed " << seed;
  }
  EXPECT_GT(granted, 100'000u);
}

}  // namespace
}  // namespace ana
