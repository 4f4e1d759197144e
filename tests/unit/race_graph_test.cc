// Race graphs from the facts of receives.
#include "analysis/race_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/vertex_cover.h"

namespace ana {
namespace {

std::vector<uint8_t> write(const std::vector<RaceFact>& facts) {
  std::vector<uint8_t> bytes;
  uint64_t last = 0;
  for (const RaceFact& fact : facts) {
    uint8_t record[kMaxRaceFactBytes];
    bytes.insert(bytes.end(), record, put_race_fact(record, fact, last));
    last = fact.order;
  }
  return bytes;
}

Optimum optimum_of(const std::vector<RaceFact>& facts, size_t most = 16384) {
  auto vertices = read_race_facts(write(facts));
  EXPECT_TRUE(vertices.ok());
  return find_optimum(*vertices, most);
}

// In the order of posting, completed in any order; the senders know less or more.
std::vector<RaceFact> random_facts(std::mt19937& random, size_t count) {
  auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::vector<RaceFact> facts;
  uint64_t complete = 0;
  for (size_t i = 0; i < count; i++) {
    RaceFact fact{i + 1, pick(4) != 0, pick(2) != 0, pick(8) / 7, static_cast<int32_t>(pick(3)),
                  static_cast<int32_t>(pick(2)), complete == 0 ? 0 : std::min<uint64_t>(pick(6), complete)};
    complete += fact.any_source;
    facts.push_back(fact);
  }
  // Neighbours change places, as long as that keeps what their senders know possible.
  for (size_t i = 1; i < count; i++) {
    if (pick(4) == 0) std::swap(facts[i].order, facts[i - 1].order);
  }
  return facts;
}

auto fields(const RaceFact& f) {
  return std::tuple(f.order, f.any_source, f.any_tag, f.communicator, f.source, f.tag, f.unknown);
}

TEST(RaceGraph, KeepsFacts) {
  std::mt19937 random(1);
  auto facts = random_facts(random, 200);
  auto bytes = write(facts);
  uint64_t last = 0;
  const uint8_t* at = bytes.data();
  for (const RaceFact& fact : facts) {
    RaceFact read;
    at = get_race_fact(at, bytes.data() + bytes.size(), read, last);
    ASSERT_NE(at, nullptr);
    EXPECT_EQ(fields(read), fields(fact));
    last = read.order;
  }
  EXPECT_EQ(at, bytes.data() + bytes.size());
}

TEST(RaceGraph, RefusesDamage) {
  auto bytes = write({{1, true, false, 0, 1, 0, 0}, {2, true, false, 0, 2, 0, 1}});
  EXPECT_TRUE(read_race_facts(bytes).ok());
  bytes.pop_back();
  EXPECT_FALSE(read_race_facts(bytes).ok());
  bytes.push_back(3);  // of one that was complete, three are unknown
  EXPECT_FALSE(read_race_facts(bytes).ok());
}

// Fig. 5b: channels are tags. The first receive takes any tag, the second one of tags 2 and 3 (any, on a communicator
// where only these are sent), the last one only tag 3.
TEST(RaceGraph, NonTransitiveRacesNeedOneMessage) {
  std::vector<RaceFact> facts = {
      {1, true, false, 0, 1, 1, 0},  // wanted tag 1
      {2, true, true, 0, 2, 1, 1},   // races with the first; takes any tag
      {3, false, false, 0, 3, 2, 2}, // races with the second only
  };
  Optimum best = optimum_of(facts);
  EXPECT_EQ(best.races, 2u);
  EXPECT_EQ(best.racing, 3u);
  EXPECT_EQ(best.matching, 1u);
  EXPECT_EQ(best.minimum, 1u);
  EXPECT_TRUE(best.exact);
}

TEST(RaceGraph, CutsAndComponentsLoseNoRace) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; i++) {
    auto vertices = read_race_facts(write(random_facts(random, 60)));
    ASSERT_TRUE(vertices.ok());
    BitGraph whole = race_graph(*vertices);
    uint64_t edges = 0;
    for (size_t v = 0; v < whole.vertices(); v++) edges += whole.degree(v);
    Optimum best = find_optimum(*vertices);
    EXPECT_EQ(best.races, edges / 2);
    EXPECT_EQ(best.minimum, find_cover(whole, 1'000'000'000).at_least);
    EXPECT_TRUE(best.exact);
    EXPECT_LE(best.matching, best.minimum);
    Optimum parts = find_optimum(*vertices, 8);
    EXPECT_LE(parts.minimum, best.minimum);
    if (parts.exact) EXPECT_EQ(parts.minimum, best.minimum);
  }
}

TEST(RaceGraph, OfAMasterWithManyWorkersIsExact) {
  // Each of seven workers sends one message and waits for the answer: it knows all up to its own last one.
  std::mt19937 random(3);
  std::vector<uint64_t> known(7);
  std::vector<RaceFact> facts;
  for (uint64_t i = 0; i < 3000; i++) {
    size_t worker = random() % known.size();
    facts.push_back({i + 1, true, false, 0, static_cast<int32_t>(worker), 0, i - known[worker]});
    known[worker] = i + 1;
  }
  Optimum best = optimum_of(facts);
  EXPECT_TRUE(best.exact);
  EXPECT_GT(best.minimum, best.matching);
  EXPECT_LT(best.minimum, best.racing);
}

}  // namespace
}  // namespace ana
