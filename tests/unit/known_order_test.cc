// Replays that are told of synchronisation only as far as it is not known beforehand (analysis/known_order.h), compared with
// the detector that is told everything, over random executions.
#include "analysis/known_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/release_watch.h"
#include "anaphora/runtime_abi.h"
#include "race_oracle.h"
#include "trace/order_entries.h"

namespace ana::races {
namespace {

using oracle::Happening;
using oracle::RacingExecution;

constexpr int kExecutions = 5000;
constexpr uint32_t kOrders = ANA_SITE_ACQUIRE | ANA_SITE_RELEASE;

bool is_atomic_access(const LiveReference& e) { return e.told == Told::kAccess && (e.flags & ANA_SITE_ATOMIC); }

// Some events may be left out, some not: as instructions are certain or not.
RacingExecution counted(RacingExecution execution, std::mt19937_64& random) {
  uint64_t share = random() % 4;
  for (Happening& h : execution.events) {
    LiveReference& e = h.event;
    bool may_be = is_atomic_access(e) || (e.told >= Told::kAcquire && e.told <= Told::kLeave);
    e.counted = may_be && random() % 4 <= share;
    e.ends_epoch = is_release(e);
  }
  return execution;
}

// What a translation tells if it knows the order: as its code and the host do it.
class Teller {
 public:
  Teller(const KnownOrder& order, RaceDetector& detector) : order_(order), detector_(detector) {}

  void show(const RacingExecution& execution) {
    for (const Happening& h : execution.events) show(h);
  }
  int synchronisation() const { return synchronisation_; }
  int plain() const { return plain_; }

 private:
  void tell(uint32_t slot, const LiveReference& event) { detector_.take(slot, {&event, 1}); }

  void show(const Happening& h) {
    const LiveReference& e = h.event;
    if (e.told == Told::kAccess && !is_atomic_access(e)) return note(h.slot, e, plain_);
    LiveReference told = e;
    bool is_told = !e.counted || is_due(h.slot, told.ends_epoch);
    if (is_told) {
      synchronisation_ += is_synchronisation(e);
      tell(h.slot, told);
      if ((is_release(e) && told.ends_epoch) || e.told == Told::kStart) told_.erase(h.slot);
      if (e.told == Told::kAllocate) told_.clear();
    }
    // The instruction comes again, as relaxed; the merge leaves it out if the check has said so.
    if (!e.counted || !is_atomic_access(e) || (is_told && is_release(e) && told.ends_epoch)) return;
    LiveReference noted = e;
    noted.stamp = kNotedStamp;
    noted.flags &= ~kOrders;
    int of_atomics = 0;
    note(h.slot, noted, of_atomics);
  }
  void note(uint32_t slot, const LiveReference& e, int& number) {
    if (!told_[slot].emplace(e.what, e.flags & ANA_SITE_ATOMIC, e.write()).second) return;
    number++;
    tell(slot, e);
  }
  bool is_due(uint32_t slot, bool& ends) {
    const auto& entries = order_.slots.at(slot).entries;
    size_t& next = next_[slot];
    if (next == entries.size() || skipped_[slot]++ < skipped_before(entries[next])) return false;
    skipped_[slot] = 0;
    ends = ends_epoch(entries[next++]);
    return true;
  }

  const KnownOrder& order_;
  RaceDetector& detector_;
  std::map<uint32_t, std::set<std::tuple<uint64_t, uint32_t, bool>>> told_;
  std::map<uint32_t, size_t> next_, skipped_;
  int synchronisation_ = 0, plain_ = 0;
};

KnownOrder order_of(const RacingExecution& execution) {
  ReleaseWatch watch;
  for (const Happening& h : execution.events) watch.take(h.slot, {&h.event, 1});
  return watch.order();
}

bool same_bytes(const RacingExecution& execution, const KnownOrder& order) {
  RaceDetector all, some;
  for (const Happening& h : execution.events) all.take(h.slot, {&h.event, 1});
  some.follow(order);
  Teller(order, some).show(execution);
  return some.status() && all.racy_bytes() == some.racy_bytes();
}

TEST(KnownOrder, IsAsGoodAsBeingToldEverything) {
  std::mt19937_64 random(5);
  int synchronisation = 0, told = 0;
  for (int i = 0; i < kExecutions; i++) {
    RacingExecution execution = counted(oracle::random_racing_execution(random), random);
    KnownOrder order = order_of(execution);
    ASSERT_TRUE(same_bytes(execution, order)) << "execution " << i << "\n" << execution.text();
    RaceDetector detector;
    detector.follow(order);
    Teller teller(order, detector);
    teller.show(execution);
    told += teller.synchronisation();
    for (const Happening& h : execution.events) synchronisation += is_synchronisation(h.event);
  }
  EXPECT_LT(told, synchronisation * 3 / 4);
}

// Orders that get one thing wrong.
TEST(KnownOrder, MistakesAreFoundOut) {
  std::mt19937_64 random(6);
  std::map<std::string, int> caught;
  auto all_caught = [&] {
    return caught.size() == 4 && std::ranges::all_of(caught, [](const auto& each) { return each.second > 0; });
  };
  for (int i = 0; i < kExecutions && !all_caught(); i++) {
    RacingExecution execution = counted(oracle::random_racing_execution(random), random);
    KnownOrder order = order_of(execution);
    for (size_t s = 0; s < order.slots.size(); s++) {
      for (size_t n = 0; n < order.slots[s].entries.size(); n++) {
        KnownOrder wrong = order;
        wrong.slots[s].entries[n] &= ~1u;
        caught["an epoch does not end"] += !same_bytes(execution, wrong);
      }
      for (size_t n = 0; n < order.slots[s].learned.size(); n++) {
        KnownOrder wrong = order;
        wrong.slots[s].learned[n].time--;
        caught["less is learned"] += !same_bytes(execution, wrong);
        wrong.slots[s].learned[n].time += 2;
        caught["more is learned"] += !same_bytes(execution, wrong);
      }
    }
    for (auto& times : order.known) {
      if (times.empty()) continue;
      std::vector<uint32_t> all = times;
      times.pop_back();
      caught["a time is not known"] += !same_bytes(execution, order);
      times = all;
    }
  }
  EXPECT_TRUE(all_caught());
  for (const auto& [name, number] : caught) EXPECT_GT(number, 0) << name;
}

TEST(KnownOrder, AnotherExecutionIsFoundOut) {
  std::mt19937_64 random(7);
  RacingExecution execution = counted(oracle::random_racing_execution(random), random);
  KnownOrder order = order_of(execution);
  RaceDetector detector;
  detector.follow(order);
  LiveReference fence{};
  fence.told = Told::kFence;
  fence.count = 12345;
  detector.take(0, {&fence, 1});
  EXPECT_FALSE(detector.status());
}

}  // namespace
}  // namespace ana::races
