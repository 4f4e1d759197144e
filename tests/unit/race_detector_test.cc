// The detector of data races against brute force, and single cases for a reader.
#include "analysis/race_detector.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "anaphora/runtime_abi.h"
#include "race_oracle.h"

namespace ana::races {
namespace {

using oracle::Happening;
using oracle::RacingExecution;

// Null: the detector is not shown the event.
using Mutation = std::function<std::optional<LiveReference>(const Happening&)>;

std::set<uint64_t> bytes_of(const RaceDetector& detector) {
  std::set<uint64_t> out;
  for (auto [first, last] : detector.racy_bytes()) {
    for (; first <= last; first++) out.insert(first);
  }
  return out;
}

void show(RaceDetector& detector, const RacingExecution& execution, const Mutation& mutate = {}) {
  for (const Happening& h : execution.events) {
    std::optional<LiveReference> event = mutate ? mutate(h) : h.event;
    if (event) detector.take(h.slot, {&*event, 1});
  }
}

bool agrees(const RacingExecution& execution, const Mutation& mutate = {}) {
  RaceDetector detector;
  show(detector, execution, mutate);
  auto races = oracle::races_of(execution);
  if (bytes_of(detector) != racy_bytes_of(execution, races)) return false;
  // What is reported is a race: sites are places in the execution.
  for (const Race& race : detector.races()) {
    auto place = [](const Access& access) { return (access.site - 0x100000) / 16; };
    if (!races.contains({place(race.first), place(race.second)})) return false;
  }
  return true;
}

constexpr int kExecutions = 5000;

TEST(RaceDetector, FindsTheRacyBytesOfRandomExecutions) {
  std::mt19937_64 random(1);
  int with_races = 0;
  for (int i = 0; i < kExecutions; i++) {
    RacingExecution execution = oracle::random_racing_execution(random);
    ASSERT_TRUE(agrees(execution)) << "execution " << i << "\n" << execution.text();
    with_races += !oracle::races_of(execution).empty();
  }
  EXPECT_GT(with_races, kExecutions / 10);
  EXPECT_LT(with_races, kExecutions * 99 / 100);
}

std::optional<LiveReference> without(const Happening& h, std::initializer_list<Told> left_out) {
  for (Told told : left_out) {
    if (h.event.told == told) return std::nullopt;
  }
  return h.event;
}

LiveReference changed(const Happening& h, Told from, Told to) {
  LiveReference event = h.event;
  if (event.told == from) event.told = to;
  return event;
}

LiveReference with_flags(const Happening& h, uint32_t off, uint32_t on) {
  LiveReference event = h.event;
  if (event.flags & ANA_SITE_ATOMIC) event.flags = (event.flags & ~off) | on;
  return event;
}

// A detector that gets one thing wrong is found out.
TEST(RaceDetector, MutationsAreCaught) {
  const std::pair<const char*, Mutation> mutations[] = {
      {"locks are not acquired", [](const Happening& h) { return without(h, {Told::kAcquire}); }},
      {"nothing is released", [](const Happening& h) { return without(h, {Told::kRelease}); }},
      {"readers come after readers", [](const Happening& h) { return changed(h, Told::kAcquireShared, Told::kAcquireAlone); }},
      {"writers do not come after readers", [](const Happening& h) { return changed(h, Told::kAcquireAlone, Told::kAcquireShared); }},
      {"barriers are left at once", [](const Happening& h) { return without(h, {Told::kLeave}); }},
      {"barriers know no passages", [](const Happening& h) {
         Happening arrive{h.slot, changed(h, Told::kArrive, Told::kRelease)};
         return changed(arrive, Told::kLeave, Told::kAcquire);
       }},
      {"joins order nothing", [](const Happening& h) { return without(h, {Told::kJoin}); }},
      {"fences order nothing", [](const Happening& h) { return without(h, {Told::kFence}); }},
      {"loads do not acquire", [](const Happening& h) { return with_flags(h, ANA_SITE_ACQUIRE, 0); }},
      {"stores do not release", [](const Happening& h) { return with_flags(h, ANA_SITE_RELEASE, 0); }},
      {"all loads acquire", [](const Happening& h) { return with_flags(h, 0, ANA_SITE_ACQUIRE); }},
      {"all stores release", [](const Happening& h) { return with_flags(h, 0, ANA_SITE_RELEASE); }},
      {"stores go on with release sequences", [](const Happening& h) { return with_flags(h, 0, ANA_SITE_READ); }},
      {"updates end release sequences", [](const Happening& h) {
         return h.event.write() ? with_flags(h, ANA_SITE_READ, 0) : h.event;
       }},
      {"atomic accesses are plain", [](const Happening& h) { return with_flags(h, ANA_SITE_ATOMIC, 0); }},
      {"blocks stay what they were", [](const Happening& h) { return without(h, {Told::kAllocate}); }},
      {"plain reads are not seen", [](const Happening& h) -> std::optional<LiveReference> {
         if (h.event.flags == ANA_SITE_READ) return std::nullopt;
         return h.event;
       }},
      {"accesses are of one byte", [](const Happening& h) {
         LiveReference event = h.event;
         if (event.told == Told::kAccess) event.what = LiveReference::pack(event.address(), 1, event.write());
         return event;
       }},
  };
  for (const auto& [name, mutation] : mutations) {
    std::mt19937_64 random(2);
    int caught = 0;
    for (int i = 0; i < kExecutions && caught == 0; i++) caught += !agrees(oracle::random_racing_execution(random), mutation);
    EXPECT_GT(caught, 0) << name;
  }
}

// What replays of translated code leave out (docs/races.md): plain accesses that the thread has told in its epoch, or
// of which it has told a write.
struct TellingRule {
  bool ends_epochs = true, heeds_clearing = true, reads_are_writes = false;
  bool by_lines = false;  // accesses are of whole lines
  bool heeds_lines = true;
  std::map<uint32_t, std::set<uint64_t>> told = {};  // by slot
  int left_out = 0, left_in = 0;

  bool tells(const Happening& h) {
    const LiveReference& e = h.event;
    bool atomic = e.flags & ANA_SITE_ATOMIC;
    if (e.told == Told::kAccess && !atomic) return tells_plain(told[h.slot], e);
    bool is_release = e.told == Told::kRelease || e.told == Told::kArrive || e.told == Told::kCreate ||
                      ((atomic || e.told == Told::kFence) && (e.flags & ANA_SITE_RELEASE));
    if ((ends_epochs && is_release) || e.told == Told::kStart) told.erase(h.slot);
    if (heeds_clearing && e.told == Told::kAllocate) clear(h);
    return true;
  }
  // By lines a thread that allocates forgets only those that lie in the block as a whole.
  void clear(const Happening& h) {
    if (!by_lines) return told.clear();
    std::erase_if(told, [&](const auto& each) { return each.first != h.slot; });
    uint64_t begin = (h.event.address() + kLineBytes - 1) / kLineBytes * kLineBytes;
    uint64_t end = (h.event.address() + h.event.value) / kLineBytes * kLineBytes;
    std::erase_if(told[h.slot], [&](uint64_t what) {
      LiveReference e{};
      e.what = what;
      bool touches = e.address() < end && e.address() + e.bytes() > begin;
      left_in += !touches;
      return touches && heeds_lines;
    });
  }
  bool tells_plain(std::set<uint64_t>& told_here, const LiveReference& e) {
    auto key = [&](bool write) { return LiveReference::pack(e.address(), e.bytes(), write); };
    bool is_new = told_here.insert(key(e.write())).second;
    if (e.write() || reads_are_writes) told_here.insert({key(false), key(true)});
    left_out += !is_new;
    return is_new;
  }
};

bool same_bytes_by(TellingRule&& rule, const RacingExecution& execution) {
  RaceDetector all, some;
  show(all, execution);
  show(some, execution, [&](const Happening& h) { return rule.tells(h) ? std::optional(h.event) : std::nullopt; });
  return bytes_of(all) == bytes_of(some);
}

TEST(RaceDetector, NeedsTheSameAccessOnceInAnEpoch) {
  const std::pair<const char*, TellingRule> wrong[] = {
      {"epochs do not end", {.ends_epochs = false}},
      {"who has read has written", {.reads_are_writes = true}},
  };
  std::mt19937_64 random(3);
  std::set<std::string> caught;
  for (int i = 0; i < kExecutions; i++) {
    RacingExecution execution = oracle::random_racing_execution(random);
    ASSERT_TRUE(same_bytes_by({}, execution)) << "execution " << i << "\n" << execution.text();
    for (const auto& [name, rule] : wrong)
      if (!same_bytes_by(TellingRule(rule), execution)) caught.insert(name);
  }
  EXPECT_EQ(caught.size(), std::size(wrong));
}

// A thread writes to a block before and after another has got it anew, without having been told so.
TEST(RaceDetector, ClearedMemoryIsToldAgain) {
  auto event = [](uint32_t slot, Told told, uint64_t address, uint32_t flags = 0) {
    LiveReference e{};
    e.told = told;
    e.what = LiveReference::pack(address, 1, flags == ANA_SITE_WRITE);
    e.flags = flags;
    e.site = 0x5000 + slot;
    e.value = 8;
    return Happening{slot, e};
  };
  constexpr uint64_t kBlock = 0x1000;
  RacingExecution execution{{event(0, Told::kCreate, 1), event(1, Told::kStart, 1),
                             event(0, Told::kAccess, kBlock, ANA_SITE_WRITE), event(1, Told::kAllocate, kBlock),
                             event(0, Told::kAccess, kBlock, ANA_SITE_WRITE),
                             event(1, Told::kAccess, kBlock, ANA_SITE_WRITE)}};
  EXPECT_TRUE(same_bytes_by({}, execution));
  EXPECT_FALSE(same_bytes_by({.heeds_clearing = false}, execution));
}

// Bytes of the execution as parts of lines: some share one, some accesses cross into the next.
LiveReference spread(LiveReference event) {
  auto place = [](uint64_t address) { return address * 16 + address % 3 * 8; };
  if (event.told != Told::kAccess && event.told != Told::kAllocate) return event;
  uint64_t bytes = event.told == Told::kAccess ? event.bytes() * 16 : 1;
  event.what = LiveReference::pack(place(event.address()), bytes, event.write());
  event.value *= 16;
  return event;
}

// Lines that race by what is told of lines.
std::set<uint64_t> racy_lines_by(TellingRule& rule, const RacingExecution& execution) {
  RaceDetector lines({}, nullptr, RaceDetector::Unit::line);
  show(lines, execution, [&](const Happening& h) -> std::optional<LiveReference> {
    Happening line = h;  // the rule is told of the whole lines that it touches
    uint64_t first = h.event.address() / kLineBytes, last = (h.event.address() + h.event.bytes() - 1) / kLineBytes;
    if (h.event.told == Told::kAccess && !(h.event.flags & ANA_SITE_ATOMIC))
      line.event.what = LiveReference::pack(first * kLineBytes, (last - first + 1) * kLineBytes, h.event.write());
    return rule.tells(line) ? std::optional(h.event) : std::nullopt;
  });
  EXPECT_TRUE(lines.races().empty());
  std::set<uint64_t> out;
  for (auto [first, last] : lines.racy_bytes())
    for (uint64_t line = first / kLineBytes; line <= last / kLineBytes; line++) out.insert(line);
  return out;
}

// They have all bytes that race, which are found by the accesses to them alone.
TEST(RaceDetector, BytesAreFoundByWayOfLines) {
  std::mt19937_64 random(4);
  int without_races = 0, left_out = 0, left_in = 0;
  for (int i = 0; i < kExecutions; i++) {
    RacingExecution execution = oracle::random_racing_execution(random);
    for (Happening& h : execution.events) h.event = spread(h.event);
    RaceDetector bytes, closer;
    show(bytes, execution);
    TellingRule rule{.by_lines = true};
    std::set<uint64_t> suspects = racy_lines_by(rule, execution);
    left_in += rule.left_in;
    closer.look_only_at({suspects.begin(), suspects.end()});
    show(closer, execution, [&](const Happening& h) -> std::optional<LiveReference> {
      uint64_t first = h.event.address() / kLineBytes, last = (h.event.address() + h.event.bytes() - 1) / kLineBytes;
      bool plain = h.event.told == Told::kAccess && !(h.event.flags & ANA_SITE_ATOMIC);
      if (!plain || suspects.contains(first) || suspects.contains(last)) return h.event;
      left_out++;
      return std::nullopt;
    });
    ASSERT_EQ(bytes_of(closer), bytes_of(bytes)) << "execution " << i << "\n" << execution.text();
    if (!suspects.empty()) {  // what it is told of other lines does not matter
      RaceDetector heedless;
      heedless.look_only_at({suspects.begin(), suspects.end()});
      show(heedless, execution);
      ASSERT_EQ(bytes_of(heedless), bytes_of(bytes)) << "execution " << i << "\n" << execution.text();
    }
    without_races += suspects.empty();
  }
  EXPECT_GT(without_races, 0);
  EXPECT_GT(left_out, 0);
  EXPECT_GT(left_in, 0);
}

// A thread writes to a block that it has got anew in the same epoch: if it covers the line, that is told again.
TEST(RaceDetector, ClearedLinesAreToldAgain) {
  auto event = [](uint32_t slot, Told told, uint64_t address, uint64_t bytes) {
    LiveReference e{};
    e.told = told;
    e.what = LiveReference::pack(address, told == Told::kAccess ? bytes : 1, told == Told::kAccess);
    e.flags = told == Told::kAccess ? ANA_SITE_WRITE : 0;
    e.site = 0x5000 + slot;
    e.value = bytes;
    return Happening{slot, e};
  };
  constexpr uint64_t kBlock = 64 * kLineBytes;
  auto racy_lines = [&](uint64_t bytes, bool heeds_lines) {
    RacingExecution execution{{event(0, Told::kCreate, 1, 0), event(1, Told::kStart, 1, 0),
                               event(0, Told::kAccess, kBlock, 8), event(0, Told::kAllocate, kBlock, bytes),
                               event(0, Told::kAccess, kBlock, 8), event(1, Told::kAccess, kBlock, 8)}};
    TellingRule rule{.by_lines = true, .heeds_lines = heeds_lines};
    return racy_lines_by(rule, execution).size();
  };
  EXPECT_EQ(racy_lines(kLineBytes, true), 1u);
  EXPECT_EQ(racy_lines(kLineBytes, false), 0u);
  EXPECT_EQ(racy_lines(kLineBytes / 2, false), 1u);  // the line has kept its past
}

// Threads that use a slot one after the other without being joined are not the same thread.
TEST(RaceDetector, ThreadsOfOneSlotMayRace) {
  auto write = [](uint64_t count) {
    LiveReference e{};
    e.what = LiveReference::pack(0x1000, 4, true);
    e.flags = ANA_SITE_WRITE;
    e.site = 0x5000 + count;
    e.count = count;
    return e;
  };
  auto create = [] {
    LiveReference e{};
    e.told = Told::kCreate;
    e.what = LiveReference::pack(1, 1, false);
    return e;
  };
  auto races = [&](bool joined) {
    RaceDetector detector;
    auto take = [&](uint32_t slot, LiveReference event) { detector.take(slot, {&event, 1}); };
    LiveReference join = create();
    join.told = Told::kJoin;
    take(0, create());
    take(1, write(1));
    if (joined) take(0, join);
    take(0, create());
    take(1, write(2));
    return detector.races().size();
  };
  EXPECT_EQ(races(true), 0u);
  EXPECT_EQ(races(false), 1u);
}

// What is known of the values: found by the second access, and by who comes next.
TEST(RaceDetector, TellsTheValues) {
  RaceDetector detector;
  auto access = [&](uint32_t slot, bool write, uint64_t value) {
    LiveReference e{};
    e.what = LiveReference::pack(0x1000, 4, write);
    e.flags = write ? ANA_SITE_WRITE : ANA_SITE_READ;
    e.site = 0x5000 + value;
    e.value = value;
    e.has_value = true;
    detector.take(slot, {&e, 1});
  };
  LiveReference create{};
  create.told = Told::kCreate;
  create.what = LiveReference::pack(1, 1, false);
  detector.take(0, {&create, 1});
  access(0, true, 5);
  access(1, true, 6);
  access(1, false, 7);
  ASSERT_EQ(detector.races().size(), 1u);
  Race race = detector.races()[0];
  EXPECT_EQ(race.first.value, 5u);
  EXPECT_EQ(race.first_left, 6u);
  EXPECT_EQ(race.second_left, 7u);
}

// Two threads write at one place each, whatever to; briefly told or with values.
void race_at(RaceDetector& detector, uint64_t address, bool with_value = false) {
  for (uint32_t slot : {0u, 1u}) {
    LiveReference e{};
    e.what = LiveReference::pack(address, 4, true);
    e.flags = ANA_SITE_WRITE;
    e.site = slot ? 0x5000 | kCalledFrom : 0x5000;
    e.count = address;
    e.has_value = with_value;
    detector.take(slot, {&e, 1});
  }
}

void start_second(RaceDetector& detector) {
  LiveReference create{};
  create.told = Told::kCreate;
  create.what = LiveReference::pack(1, 1, false);
  detector.take(0, {&create, 1});
}

// The same places race on several variables; elements of one are one race.
TEST(RaceDetector, TellsVariablesApart) {
  for (bool with_value : {false, true}) {
    RaceDetector detector;
    detector.tell_apart(Variables({{0x1000, 0x1003}, {0x1004, 0x1043}}));
    start_second(detector);
    for (uint64_t address = 0x1000; address < 0x1044; address += 4) race_at(detector, address, with_value);
    std::vector<Race> races = detector.races();
    ASSERT_EQ(races.size(), 2u);
    EXPECT_EQ(races[0].address, 0x1000u);
    EXPECT_EQ(races[0].times, 1u);
    EXPECT_EQ(races[1].address, 0x1004u);
    EXPECT_EQ(races[1].times, 16u);
    EXPECT_EQ(races[0].first.site, 0x5000u);
    EXPECT_EQ(races[0].second.site, 0x5000 | kCalledFrom);
  }
}

// Blocks are told apart by where they were allocated, not one by one.
TEST(RaceDetector, TellsBlocksApartByTheirOrigin) {
  RaceDetector detector;
  auto allocate = [&](uint64_t address, uint64_t caller) {
    LiveReference e{};
    e.told = Told::kAllocate;
    e.what = LiveReference::pack(address, 1, false);
    e.value = 64;
    e.site = caller;
    detector.take(0, {&e, 1});
  };
  allocate(0x1000, 0x7000);
  allocate(0x2000, 0x7000);
  allocate(0x3000, 0x7100);
  start_second(detector);
  for (uint64_t address : {0x1000, 0x1020, 0x2000, 0x3000, 0x4000, 0x5000}) race_at(detector, address);
  std::vector<Race> races = detector.races();
  ASSERT_EQ(races.size(), 3u);  // the last two are of memory of which nothing is known
  EXPECT_EQ(races[0].times + races[1].times + races[2].times, 6u);
}

// Which of the recorded edges synchronisation would have made.
TEST(RaceDetector, JudgesEdges) {
  std::vector<std::vector<RecordedEdge>> edges(2);
  edges[1] = {{3, 0, 1}, {5, 0, 4}};
  RaceDetector detector(edges);
  auto take = [&](uint32_t slot, Told told, uint64_t address, uint64_t count) {
    LiveReference e{};
    e.told = told;
    e.what = LiveReference::pack(address, 1, false);
    e.count = count;
    detector.take(slot, {&e, 1});
  };
  take(0, Told::kAccess, 0x1000, 1);
  take(0, Told::kCreate, 1, 2);
  take(1, Told::kStart, 1, 1);
  take(0, Told::kAccess, 0x1000, 4);
  take(1, Told::kAccess, 0x2000, 3);
  take(1, Told::kAccess, 0x2000, 5);
  EXPECT_EQ(detector.ordered_edges(), 1u);
  EXPECT_EQ(detector.unordered_edges(), 1u);
}

}  // namespace
}  // namespace ana::races
