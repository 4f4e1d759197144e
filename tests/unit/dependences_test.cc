// Dependences between threads against brute force, and what led to an event.
#include "analysis/dependences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "analysis/slice.h"
#include "anaphora/runtime_abi.h"

namespace ana::dependences {
namespace {

struct Told {
  uint32_t slot;
  uint64_t address;
  uint32_t bytes;
  bool write, read;
};
using Found = std::set<std::tuple<Kind, size_t, size_t>>;  // places in the execution, from and to

std::vector<Told> random_execution(std::mt19937_64& random) {
  std::vector<Told> out(4 + random() % 40);
  for (Told& t : out) {
    uint64_t kind = random() % 5;  // reads, writes, and updates, which are both
    t = {static_cast<uint32_t>(random() % 4), 0x1000 + random() % 6, static_cast<uint32_t>(1 + random() % 4), kind > 2,
         kind != 3};
  }
  return out;
}

Found found_by(const std::vector<Told>& execution, bool reduced) {
  std::map<std::pair<uint32_t, uint64_t>, size_t> place;  // by slot and number
  Found out;
  Dependences finder(reduced, [&](const Dependence& d) {
    out.emplace(d.kind, place[{d.from.slot, d.from.number}], place[{d.to.slot, d.to.number}]);
  });
  std::map<uint32_t, uint64_t> numbers;
  for (size_t i = 0; i < execution.size(); i++) {
    const Told& t = execution[i];
    place[{t.slot, ++numbers[t.slot]}] = i;
    LiveReference event{};
    event.what = LiveReference::pack(t.address, t.bytes, t.write);
    event.flags = (t.write ? ANA_SITE_WRITE : 0) | (t.read ? ANA_SITE_READ : 0);
    finder.take(t.slot, {&event, 1});
  }
  return out;
}

// From the definition, byte by byte.
Found by_force(const std::vector<Told>& execution) {
  Found out;
  auto touches = [&](size_t i, uint64_t byte) {
    return byte >= execution[i].address && byte < execution[i].address + execution[i].bytes;
  };
  for (size_t j = 0; j < execution.size(); j++) {
    for (uint64_t byte = execution[j].address; byte < execution[j].address + execution[j].bytes; byte++) {
      std::set<uint32_t> seen;  // only the last read of each thread
      for (size_t i = j; i-- > 0;) {
        if (!touches(i, byte)) continue;
        const Told &a = execution[i], &b = execution[j];
        if (!a.write && b.write && seen.insert(a.slot).second && a.slot != b.slot) out.emplace(Kind::war, i, j);
        if (!a.write) continue;
        if (a.slot != b.slot && b.read) out.emplace(Kind::raw, i, j);
        if (a.slot != b.slot && b.write) out.emplace(Kind::waw, i, j);
        break;
      }
    }
  }
  return out;
}

std::set<std::pair<size_t, size_t>> pairs_of(const Found& found) {
  std::set<std::pair<size_t, size_t>> out;
  for (auto [kind, from, to] : found) out.emplace(from, to);
  return out;
}

// The pairs between threads of the transitive reduction of program order and all dependences.
std::set<std::pair<size_t, size_t>> reduction_of(const std::vector<Told>& execution) {
  size_t n = execution.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n));
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < j; i++) {
      const Told &a = execution[i], &b = execution[j];
      bool overlap = a.address < b.address + b.bytes && b.address < a.address + a.bytes;
      if (a.slot != b.slot && !(overlap && (a.write || b.write))) continue;
      before[j][i] = true;
      for (size_t k = 0; k < i; k++) before[j][k] = before[j][k] || before[i][k];
    }
  }
  std::set<std::pair<size_t, size_t>> out;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < j; i++) {
      bool direct = before[j][i] && execution[i].slot != execution[j].slot;
      for (size_t k = i + 1; k < j && direct; k++) direct = !(before[j][k] && before[k][i]);
      if (direct) out.emplace(i, j);
    }
  }
  return out;
}

TEST(Dependences, AreThoseOfTheDefinition) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; i++) {
    auto execution = random_execution(random);
    ASSERT_EQ(found_by(execution, false), by_force(execution)) << "execution " << i;
  }
}

TEST(Dependences, ReducedAreTheTransitiveReduction) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 5000; i++) {
    auto execution = random_execution(random);
    Found found = found_by(execution, true);
    ASSERT_EQ(pairs_of(found), reduction_of(execution)) << "execution " << i;
    Found all = by_force(execution);
    ASSERT_TRUE(std::includes(all.begin(), all.end(), found.begin(), found.end())) << "execution " << i;
    ASSERT_EQ(found.size(), pairs_of(found).size()) << "execution " << i;  // each pair once
  }
}

Dependence step(Kind kind, Reference from, Reference to, bool object = false) {
  return {kind, from, to, 0x1000, 4, object};
}

// One operation on an object and the next, by other threads.
Dependence object_step(Reference from, ana::Told did, Reference to, ana::Told does, uint64_t object = 0x2000) {
  from.operation = did;
  to.operation = does;
  from.object = to.object = object;
  return step(Kind::waw, from, to, true);
}

Dependence read_of(uint64_t address, uint64_t bytes, Reference from, Reference to) {
  return {Kind::raw, from, to, address, bytes, false};
}

TEST(Slice, GoesBackOverThreadsTheLatestFirst) {
  Slice slice;
  slice.add(step(Kind::raw, {1, 1, 10, 0}, {2, 1, 20, 0}));
  slice.add(step(Kind::war, {3, 1, 10, 0}, {2, 2, 21, 0}));  // tells the thread nothing
  slice.add(step(Kind::raw, {2, 3, 22, 0}, {0, 5, 50, 0}));
  slice.add(step(Kind::raw, {2, 9, 90, 0}, {0, 6, 60, 0}));  // after the event
  auto steps = slice.back_from(0, 55, 10);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].by.to.count, 50u);
  EXPECT_EQ(steps[0].depth, 0u);
  EXPECT_EQ(steps[1].by.to.count, 20u);
  EXPECT_EQ(steps[1].depth, 1u);
  EXPECT_EQ(slice.back_from(0, 55, 1).size(), 1u);
  EXPECT_EQ(slice.back_from(0, 49, 10).size(), 0u);
  EXPECT_EQ(slice.back_from(7, 1, 10).size(), 0u);
}

TEST(Slice, ObjectsCountButNotTwice) {
  Slice slice;
  slice.add(object_step({1, 1, 10, 0}, ana::Told::kRelease, {2, 1, 20, 0}, ana::Told::kAcquire));
  slice.add(step(Kind::raw, {2, 2, 21, 0}, {0, 1, 30, 0}));
  slice.add(step(Kind::raw, {2, 3, 22, 0}, {0, 2, 31, 0}));
  EXPECT_EQ(slice.back_from(0, 31, 10).size(), 3u);
}

TEST(Slice, OrderThatMeansNothingToTheProgramIsNoStep) {
  Slice slice;
  slice.add(step(Kind::waw, {1, 1, 10, 0}, {2, 1, 20, 0}, true));  // of the runtime's own
  Dependence others = object_step({1, 2, 11, 0}, ana::Told::kRelease, {2, 2, 21, 0}, ana::Told::kAcquire);
  others.from.object++;  // another lock with the same number
  slice.add(others);
  slice.add(object_step({1, 3, 12, 0}, ana::Told::kJoin, {2, 3, 22, 0}, ana::Told::kCreate, 0));  // a slot is used again
  EXPECT_EQ(slice.back_from(2, 100, 10).size(), 0u);
  slice.add(object_step({1, 4, 13, 0}, ana::Told::kEnd, {2, 4, 23, 0}, ana::Told::kJoin, 0));
  EXPECT_EQ(slice.back_from(2, 100, 10).size(), 1u);
}

TEST(Slice, BytesThatBelongTogetherAreOneStep) {
  Slice slice;
  for (uint64_t i = 0; i < 8; i++) {  // two lines in turn read what one has written, byte by byte, and one of them again
    slice.add(read_of(0x1000 + i, 1, {1, 1 + i, 10 + i, 7}, {0, 1 + 3 * i, 20, 8}));
    slice.add(read_of(0x1000 + i, 1, {1, 1 + i, 10 + i, 7}, {0, 2 + 3 * i, 20, 9}));
    slice.add(read_of(0x1000 + i, 1, {1, 1 + i, 10 + i, 7}, {0, 3 + 3 * i, 20, 9}));
  }
  auto steps = slice.back_from(0, 20, 10);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].by.address, 0x1000u);
  EXPECT_EQ(steps[0].by.bytes, 8u);
  EXPECT_EQ(steps[0].by.to.number, 24u);
  slice.add(read_of(0x1008, 1, {1, 20, 18, 6}, {0, 30, 20, 9}));  // written elsewhere
  EXPECT_EQ(slice.back_from(0, 20, 10).size(), 2u);
}

// At any events, but not two variables that lie next to each other.
TEST(Slice, ElementsOfAVariableAreOneStep) {
  Slice slice([](uint64_t site) { return site / 16; }, Variables({{0x1000, 0x1007}, {0x1008, 0x100f}}));
  for (uint64_t i = 0; i < 4; i++)
    slice.add(read_of(0x1000 + 4 * i, 4, {1, 1 + i, 10 + i, 0x70 + i}, {0, 1 + i, 20 + i, 0x80 + i}));
  auto steps = slice.back_from(0, 100, 10);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].by.address, 0x1008u);
  EXPECT_EQ(steps[0].by.bytes, 8u);
  EXPECT_EQ(steps[1].by.address, 0x1000u);
  EXPECT_EQ(steps[1].by.bytes, 8u);
}

TEST(Slice, WhatWasThereFromTheBeginningComesLast) {
  Slice slice;
  slice.add(object_step({0, 5, 50, 0}, ana::Told::kCreate, {1, 1, 1, 0}, ana::Told::kStart, 0));
  slice.add(read_of(0x1000, 4, {0, 6, 60, 0}, {1, 2, 2, 0}));
  slice.add(object_step({1, 3, 3, 0}, ana::Told::kCreate, {2, 1, 1, 0}, ana::Told::kStart, 0));
  slice.add(read_of(0x1100, 4, {0, 4, 40, 0}, {2, 2, 2, 0}));
  auto steps = slice.back_from(2, 10, 10);
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0].by.from.count, 3u);
  EXPECT_EQ(steps[1].by.from.count, 60u);
  EXPECT_EQ(steps[2].by.from.count, 50u);
  EXPECT_EQ(steps[3].by.from.count, 40u);
  EXPECT_EQ(slice.back_from(2, 10, 3).back().by.from.count, 50u);  // no room
}

}  // namespace
}  // namespace ana::dependences
