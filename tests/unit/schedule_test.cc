// load_schedule(): publications against a brute-force derivation, ends of slots, values, traces that were cut short.
#include "trace/schedule.h"

#include <gtest/gtest.h>
#include <string.h>
#include <sys/mman.h>

#include <random>
#include <set>

#include "trace/load_schedule.h"
#include "trace_builder.h"

namespace ana {
namespace {

// A schedule as the runtime sees it.
class Loaded {
 public:
  explicit Loaded(const Schedule& schedule) : bytes_(schedule.bytes) {
    base_ = static_cast<const uint8_t*>(::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, schedule.file.get(), 0));
    if (base_ == MAP_FAILED) throw std::runtime_error("mmap");
  }
  ~Loaded() { ::munmap(const_cast<uint8_t*>(base_), bytes_); }
  const ScheduleHeader& header() const { return *reinterpret_cast<const ScheduleHeader*>(base_); }
  const SlotSchedule& slot(uint32_t i) const { return header().slot[i]; }
  std::span<const ScheduledEdge> edges(uint32_t i) const {
    return {reinterpret_cast<const ScheduledEdge*>(base_ + slot(i).edges_offset), slot(i).edges};
  }
  std::span<const Publication> publications(uint32_t i) const {
    return {reinterpret_cast<const Publication*>(base_ + slot(i).publications_offset), slot(i).publications};
  }
  std::vector<uint32_t> consumers(uint32_t i) const {
    if (slot(i).versions_offset == slot(i).consumers_offset) return {};
    auto* first = reinterpret_cast<const uint32_t*>(base_ + slot(i).consumers_offset);
    return {first, first + slot(i).publications};
  }
  std::string versions(uint32_t i) const {
    return {reinterpret_cast<const char*>(base_ + slot(i).versions_offset), slot(i).versions_bytes};
  }
  struct Read {
    ScheduledValue value;
    std::string bytes;
  };
  std::vector<Read> values(uint32_t i) const {
    std::vector<Read> all;
    const uint8_t* at = base_ + slot(i).values_offset;
    for (;;) {
      Read read;
      memcpy(&read.value, at, sizeof read.value);
      at += sizeof read.value;
      if (read.value.op == kNoMoreValues) break;
      read.bytes.assign(reinterpret_cast<const char*>(at), read.value.length);
      at += (read.value.length + 7) / 8 * 8;
      all.push_back(read);
    }
    EXPECT_EQ(at, base_ + slot(i).values_offset + slot(i).values_bytes);
    return all;
  }

 private:
  uint64_t bytes_;
  const uint8_t* base_;
};

Schedule load(const std::string& directory) {
  auto reader = TraceReader::open(directory);
  if (!reader) throw std::runtime_error(reader.error().text);
  auto schedule = load_schedule(*reader);
  if (!schedule) throw std::runtime_error(schedule.error().text);
  return std::move(*schedule);
}

StreamEnd ended_at(uint64_t site) { return {site, static_cast<uint32_t>(SlotState::kWaiting), 0}; }
StreamEnd ended_running(uint64_t site = 0) { return {site, static_cast<uint32_t>(SlotState::kRunning), 0}; }
std::string bytes_of(const StreamEnd& end) { return {reinterpret_cast<const char*>(&end), sizeof end}; }

TEST(Schedule, EndsAndValues) {
  ScratchDirectory scratch;
  StreamEncoder ended, waiting, reused;
  ended.value(1, 0, 7, "abc");
  ended.value(5, kOpThreadEnd);
  waiting.value(2, 1, -2);
  waiting.value(9, kOpEnd, 0, bytes_of(ended_at(0x1230)));
  reused.value(3, kOpThreadEnd);
  reused.value(4, kOpThreadStart, 99, std::string(8, '\0'));
  write_trace(scratch / "t", {{ended.take(), waiting.take(), reused.take()}, true});
  Schedule schedule = load(scratch / "t");
  Loaded loaded(schedule);
  EXPECT_EQ(loaded.header().magic, kScheduleMagic);
  EXPECT_EQ(loaded.header().bytes, schedule.bytes);
  ASSERT_EQ(loaded.header().slots, 3u);
  EXPECT_EQ(loaded.slot(0).final_count, ~0ull);
  EXPECT_EQ(loaded.slot(1).final_count, 9u);
  EXPECT_EQ(loaded.slot(1).final_site, 0x1230u);
  EXPECT_EQ(loaded.slot(2).final_count, 4u);  // a second thread, whose end is not known
  auto values = loaded.values(0);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].bytes, "abc");
  EXPECT_EQ(values[0].value.result, 7);
  EXPECT_EQ(values[0].value.count, 1u);
  ASSERT_EQ(loaded.values(1).size(), 1u);  // the end is not a value
  EXPECT_EQ(loaded.values(1)[0].value.result, -2);
}

// All run at the end, at their events 60. Nothing is known of slot 0 there; 1 has done a slow check. An operation of 2 ended there,
// which 0 came after, and one of 3, as it has logged; 4 has been in one.
TEST(Schedule, WhoRanAtTheEndStopsBehindWhatItIsKnownToHaveDone) {
  ScratchDirectory scratch;
  StreamEncoder a, b, c, d, e;
  a.edge({50, 16, 2, 60, 0});
  b.edge({60, 32, 0, 50, 1});
  d.edge({60, kSiteOperation, 0, 50, 1});
  e.value(60, 0, 7);
  for (StreamEncoder* each : {&a, &c, &d}) each->value(60, kOpEnd, 0, bytes_of(ended_running()));
  b.value(60, kOpEnd, 0, bytes_of(ended_running(32)));
  e.value(60, kOpEnd, 0, bytes_of(ended_running(kSiteOperation)));
  write_trace(scratch / "t", {{a.take(), b.take(), c.take(), d.take(), e.take()}, true});
  Schedule schedule = load(scratch / "t");
  EXPECT_TRUE(schedule.problems.empty());
  Loaded loaded(schedule);
  EXPECT_EQ(loaded.slot(0).final_count, 59u);
  EXPECT_EQ(loaded.slot(0).final_site, 0u);
  for (uint32_t i : {1u, 2u, 3u, 4u}) EXPECT_EQ(loaded.slot(i).final_count, 60u);
  EXPECT_EQ(loaded.slot(1).final_site, kBehind | 32);
  for (uint32_t i : {2u, 3u, 4u}) EXPECT_EQ(loaded.slot(i).final_site, kBehind);
}

// Random edges between slots, consistent or not: the derivation does not care.
TEST(Schedule, PublicationsAgreeWithBruteForce) {
  for (uint64_t seed = 0; seed < 100; seed++) {
    std::mt19937_64 random(seed);
    uint32_t slots = 1 + static_cast<uint32_t>(random() % 6);
    std::vector<std::vector<Edge>> edges(slots);
    TraceContents contents;
    for (uint32_t i = 0; i < slots; i++) {
      StreamEncoder encoder;
      uint64_t count = 0;
      for (uint64_t n = random() % 60; n > 0; n--) {
        count += random() % 4;
        Edge edge{count, random() % 64 * 16, static_cast<uint32_t>(random() % slots), random() % 30, random() % 12};
        edges[i].push_back(edge);
        encoder.edge(edge);
        if (random() % 3 == 0) encoder.value(count, 0, 1, "x");
      }
      encoder.value(count, kOpThreadEnd);
      contents.streams.push_back(encoder.take());
    }
    ScratchDirectory scratch;
    write_trace(scratch / "t", contents);
    Schedule schedule = load(scratch / "t");
    Loaded loaded(schedule);
    // The specification, word for word: sorted unique (edges, count) pairs that name the slot; index + 1 of the pair.
    for (uint32_t s = 0; s < slots; s++) {
      std::set<std::pair<uint64_t, uint64_t>> expected;
      for (const auto& list : edges) {
        for (const Edge& e : list) {
          if (e.source == s) expected.insert({e.source_edges, e.source_count});
        }
      }
      auto got = loaded.publications(s);
      ASSERT_EQ(got.size(), expected.size());
      size_t k = 0;
      for (const auto& [n, count] : expected) {
        EXPECT_EQ(got[k].edges, n);
        EXPECT_EQ(got[k].count, count);
        k++;
      }
    }
    for (uint32_t i = 0; i < slots; i++) {
      auto got = loaded.edges(i);
      ASSERT_EQ(got.size(), edges[i].size());
      for (size_t k = 0; k < got.size(); k++) {
        EXPECT_EQ(got[k].count, edges[i][k].count);
        EXPECT_EQ(got[k].site, edges[i][k].site);
        EXPECT_EQ(got[k].source, edges[i][k].source);
        const Publication& p = loaded.publications(got[k].source)[got[k].publication - 1];
        EXPECT_EQ(p.count, edges[i][k].source_count);
        EXPECT_EQ(p.edges, edges[i][k].source_edges);
      }
    }
  }
}

TEST(Schedule, ImpossibleEdgesAreProblemsWhenTheTraceHasAnEnd) {
  ScratchDirectory scratch;
  StreamEncoder a, b;
  a.edge({3, 16, 1, 100, 0});  // slot 1 never gets to event 100
  a.value(4, kOpThreadEnd);
  b.value(50, kOpEnd, 0, bytes_of(ended_at(0)));
  write_trace(scratch / "t", {{a.take(), b.take()}, true});
  EXPECT_EQ(load(scratch / "t").problems.size(), 1u);
}

// Each of two slots comes after an edge of the other; a third waits for one of them.
TEST(Schedule, CyclesAreProblems) {
  ScratchDirectory scratch;
  for (uint64_t taken : {0u, 1u}) {
    StreamEncoder a, b, c;
    a.edge({3, 16, 1, 5, taken});
    a.value(9, kOpThreadEnd);
    b.edge({5, 16, 0, 3, 1});
    b.value(9, kOpThreadEnd);
    c.edge({2, 16, 1, 7, 1});
    c.value(9, kOpThreadEnd);
    std::string directory = scratch / (taken ? "cycle" : "order");
    write_trace(directory, {{a.take(), b.take(), c.take()}, true});
    Schedule schedule = load(directory);
    ASSERT_EQ(schedule.problems.size(), taken ? 3u : 0u);
    if (!taken) continue;
    EXPECT_EQ(schedule.problems[0],
              "slot 0 waits at event 3 for slot 1 to pass event 5 after 1 edges, which comes after that very event");
  }
}

// An algorithm's edge names a count; which edges come before it is in the source's own stream.
TEST(Schedule, SourcesOfAlgorithmsAreCounts) {
  ScratchDirectory scratch;
  StreamEncoder a, b;
  a.edge({3, 16, 1, 5, 0});
  a.value(9, kOpThreadEnd);
  b.edge({4, 16, 0, 1, 0});
  b.edge({5, 16, 0, 2, 0});
  b.edge({6, 16, 0, 3, 0});
  b.value(9, kOpThreadEnd);
  write_trace(scratch / "t", {{a.take(), b.take()}, true, "optimal-vector"});
  Schedule schedule = load(scratch / "t");
  EXPECT_TRUE(schedule.problems.empty());
  Loaded loaded(schedule);
  ASSERT_EQ(loaded.publications(1).size(), 1u);
  EXPECT_EQ(loaded.publications(1)[0].count, 5u);
  EXPECT_EQ(loaded.publications(1)[0].edges, 2u);  // those at 4 and 5
  EXPECT_EQ(loaded.publications(0)[2].edges, 1u);
  EXPECT_EQ(loaded.slot(0).times, 0u);
}

// Time and count go on together until an edge makes the time jump: slot 1 is at time 21 at count 4, at 40 at count 23.
TEST(Schedule, LamportTimesBecomeCounts) {
  ScratchDirectory scratch;
  StreamEncoder a, b;
  a.edge({25, 16, 1, 40, 0});
  a.value(30, kOpThreadEnd);
  b.edge({4, 16, 0, 20, 0});
  b.value(30, kOpThreadEnd);
  write_trace(scratch / "t", {{a.take(), b.take()}, true, "compressed-lamport"});
  Schedule schedule = load(scratch / "t");
  Loaded loaded(schedule);
  ASSERT_EQ(loaded.publications(1).size(), 1u);
  EXPECT_EQ(loaded.publications(1)[0].count, 23u);
  EXPECT_EQ(loaded.publications(1)[0].edges, 1u);
  ASSERT_EQ(loaded.publications(0).size(), 1u);
  EXPECT_EQ(loaded.publications(0)[0].count, 20u);
  EXPECT_EQ(loaded.publications(0)[0].edges, 0u);
  EXPECT_EQ(loaded.slot(0).times, 2u);  // from the start, and from count 25 on
}

// Of traces without write-after-read edges replay must know how many edges start at each publication.
TEST(Schedule, ConsumersOfPublicationsAreCounted) {
  for (const char* algorithm : {"rwtrace-1", "rwtrace-2"}) {
    ScratchDirectory scratch;
    StreamEncoder a, b, c;
    a.value(9, kOpThreadEnd);
    b.edge({4, 16, 0, 2, 0});
    b.edge({5, 16, 0, 7, 0});
    b.value(9, kOpThreadEnd);
    c.edge({4, 16, 0, 7, 0});
    c.value(9, kOpThreadEnd);
    write_trace(scratch / "t", {{a.take(), b.take(), c.take()}, true, algorithm});
    Schedule schedule = load(scratch / "t");
    Loaded loaded(schedule);
    ASSERT_EQ(loaded.publications(0).size(), 2u);
    std::vector<uint32_t> expected;
    if (algorithm == std::string("rwtrace-1")) expected = {1, 2};
    EXPECT_EQ(loaded.consumers(0), expected);
  }
}

// What trace-all logged lies together, apart from the values.
TEST(Schedule, VersionsAreNoValues) {
  ScratchDirectory scratch;
  StreamEncoder a;
  a.versions(1, "ab");
  a.value(2, 7);
  a.versions(2, "c");
  a.value(3, kOpThreadEnd);
  write_trace(scratch / "t", {{a.take()}, true, "trace-all"});
  Schedule schedule = load(scratch / "t");
  Loaded loaded(schedule);
  EXPECT_EQ(loaded.versions(0), "abc");
  EXPECT_EQ(loaded.values(0).size(), 2u);
}

TEST(Schedule, SourcesWithoutStreamGetASlot) {
  ScratchDirectory scratch;
  StreamEncoder a;
  a.edge({3, 16, 5, 0, 0});
  a.value(4, kOpThreadEnd);
  write_trace(scratch / "t", {{a.take()}, true});
  Schedule schedule = load(scratch / "t");
  Loaded loaded(schedule);
  ASSERT_EQ(loaded.header().slots, 6u);
  EXPECT_EQ(loaded.slot(5).final_count, 0u);
  EXPECT_EQ(loaded.publications(5).size(), 1u);
  EXPECT_TRUE(loaded.values(5).empty());
}

// Slot 0 waits for an event of slot 1 that was not saved; slot 2 waits for an edge of slot 0 that is then gone. The newest
// records of each are not sure to be complete.
TEST(Schedule, ATraceWithoutEndIsCutWhereSomethingIsMissing) {
  ScratchDirectory scratch;
  StreamEncoder a, b, c;
  a.value(1, 0, 1, "kept");
  a.edge({3, 16, 1, 100, 0});
  a.value(4, 0, 2, "dropped");
  a.value(5, kOpThreadEnd);
  b.value(50, 0, 0);
  c.edge({2, 32, 1, 40, 0});
  c.edge({7, 48, 0, 3, 1});
  c.value(8, 0, 0);
  write_trace(scratch / "t", {{a.take(), b.take(), c.take()}, false});
  Schedule schedule = load(scratch / "t");
  EXPECT_EQ(schedule.cut_slots, 2u);
  EXPECT_TRUE(schedule.problems.empty());
  Loaded loaded(schedule);
  EXPECT_EQ(loaded.slot(0).final_count, 3u);
  EXPECT_EQ(loaded.slot(0).final_site, 16u);
  EXPECT_EQ(loaded.edges(0).size(), 0u);
  auto values = loaded.values(0);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].bytes, "kept");
  EXPECT_EQ(loaded.slot(1).final_count, 49u);
  EXPECT_TRUE(loaded.values(1).empty());
  EXPECT_EQ(loaded.slot(2).final_count, 7u);
  EXPECT_EQ(loaded.slot(2).final_site, 48u);
  EXPECT_EQ(loaded.edges(2).size(), 1u);
  EXPECT_EQ(loaded.publications(1).size(), 1u);
}

// Slots 1 to 3 have logged nothing since their events 50, but were seen later: running, blocked, waiting.
TEST(Schedule, ATraceWithoutEndGoesAsFarAsItsPositions) {
  ScratchDirectory scratch;
  StreamEncoder a, b, c, d;
  a.edge({3, 16, 1, 100, 0});
  a.edge({4, 16, 2, 101, 0});
  a.edge({5, 16, 3, 101, 0});
  a.value(8, 0, 2, "kept");
  a.value(9, 0, 2, "dropped");
  for (StreamEncoder* each : {&b, &c, &d}) each->value(50, 0, 0);
  uint32_t logged = static_cast<uint32_t>(b.bytes().size());
  auto position = [&](uint64_t count, uint64_t site, SlotState state) {
    return SlotPosition{count, site, static_cast<uint32_t>(state), logged};
  };
  TraceContents contents{{a.take(), b.take(), c.take(), d.take()}, false, "ownership",
                         {position(9, 0, SlotState::kBlocked), position(101, 0, SlotState::kRunning),
                          position(101, 0, SlotState::kBlocked), position(101, 48, SlotState::kWaiting)}};
  write_trace(scratch / "t", contents);
  {
    Schedule schedule = load(scratch / "t");
    EXPECT_EQ(schedule.cut_slots, 0u);
    Loaded loaded(schedule);
    EXPECT_EQ(loaded.slot(0).final_count, 8u);  // it has logged more since it was seen blocked
    EXPECT_EQ(loaded.slot(0).final_blocked, 0u);
    EXPECT_EQ(loaded.values(0).size(), 1u);
    EXPECT_EQ(loaded.slot(1).final_count, 100u);
    EXPECT_EQ(loaded.slot(2).final_count, 101u);
    EXPECT_EQ(loaded.slot(2).final_blocked, 1u);
    EXPECT_EQ(loaded.values(2).size(), 1u);
    EXPECT_EQ(loaded.slot(3).final_count, 101u);
    EXPECT_EQ(loaded.slot(3).final_site, 48u);
  }
  // Positions that were not written to their end do not count.
  std::string streams = read_file(scratch / "t/streams");
  write_file(scratch / "t/streams", streams.substr(0, streams.size() - 1));
  Schedule schedule = load(scratch / "t");
  EXPECT_EQ(schedule.cut_slots, 1u);
  EXPECT_EQ(Loaded(schedule).slot(1).final_count, 49u);
}

// They are of no use then, but a trace is intact only if all of it is.
TEST(Schedule, DamagedPositionsAreFoundInATraceWithAnEnd) {
  ScratchDirectory scratch;
  StreamEncoder a;
  a.value(9, kOpThreadEnd);
  write_trace(scratch / "t", {{a.take()}, true, "ownership", {{5, 0, 1, 0}}});
  EXPECT_TRUE(TraceReader::open(scratch / "t").ok());
  std::string streams = read_file(scratch / "t/streams");
  streams.back() ^= 1;
  write_file(scratch / "t/streams", streams);
  EXPECT_FALSE(TraceReader::open(scratch / "t").ok());
}

// Cutting must agree with the obvious fixed point, whatever the edges are.
TEST(Schedule, CutsAgreeWithBruteForce) {
  for (uint64_t seed = 0; seed < 200; seed++) {
    std::mt19937_64 random(seed);
    uint32_t slots = 2 + static_cast<uint32_t>(random() % 4);
    struct Model {
      std::vector<Edge> edges;
      uint64_t final_count = 0;
    };
    std::vector<Model> model(slots);
    TraceContents contents;
    contents.has_end = false;
    for (uint32_t i = 0; i < slots; i++) {
      StreamEncoder encoder;
      for (uint64_t n = 1 + random() % 20; n > 0; n--) {
        model[i].final_count += random() % 5;
        Edge edge{model[i].final_count, 16, static_cast<uint32_t>(random() % slots), random() % 50, random() % 15};
        model[i].edges.push_back(edge);
        encoder.edge(edge);
      }
      contents.streams.push_back(encoder.take());
    }
    // What was done at the newest count is not sure to be complete.
    for (Model& m : model) {
      while (m.final_count > 0 && !m.edges.empty() && m.edges.back().count == m.final_count) m.edges.pop_back();
      m.final_count -= m.final_count > 0;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (Model& m : model) {
        for (size_t k = 0; k < m.edges.size(); k++) {
          const Edge e = m.edges[k];
          const Model& source = model[e.source];
          if (source.edges.size() >= e.source_edges && source.final_count >= e.source_count) continue;
          m.edges.resize(k);
          m.final_count = e.count;
          changed = true;
        }
      }
    }
    ScratchDirectory scratch;
    write_trace(scratch / "t", contents);
    Schedule schedule = load(scratch / "t");
    Loaded loaded(schedule);
    for (uint32_t i = 0; i < slots; i++) {
      EXPECT_EQ(loaded.slot(i).final_count, model[i].final_count) << "seed " << seed << " slot " << i;
      EXPECT_EQ(loaded.edges(i).size(), model[i].edges.size()) << "seed " << seed << " slot " << i;
    }
  }
}

}  // namespace
}  // namespace ana
