// The traces of MPI ranks: events, live files as a killed rank leaves them, packed files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "trace/rank_events.h"
#include "trace/rank_trace.h"
#include "trace/trace_directory.h"
#include "trace/traced_channels.h"

namespace ana {
namespace {

TEST(RankEvents, ComeBackAsTheyWereWritten) {
  const RankEvent events[] = {
      {.kind = EventKind::kMatch, .value = 3},
      {.kind = EventKind::kMatch, .has_tag = true, .value = 100000, .tag = -7},
      {.kind = EventKind::kOutcome, .value = 12},
      {.kind = EventKind::kNo, .value = 1000000},
      {.kind = EventKind::kCheck, .check = 0xfe, .value = 1024},
      {.kind = EventKind::kMatchAt, .value = 5, .number = -3, .tag = 99},
      {.kind = EventKind::kUnmatched, .value = 1, .number = 17},
      {.kind = EventKind::kTime, .value = zigzag(-5)},
      {.kind = EventKind::kTraced, .named = true, .value = 9, .number = 4, .index = 2},
      {.kind = EventKind::kTraced,
       .has_tag = true,
       .new_lane = true,
       .new_communicator = true,
       .value = 300,
       .tag = 8,
       .index = 1,
       .communicator = 77,
       .low = -5},
      {.kind = EventKind::kTraced, .has_tag = true, .new_lane = true, .value = 3, .index = 1, .communicator = 2},
      {.kind = EventKind::kTraced, .has_tag = true, .value = 1, .tag = 80000, .index = 1},
      {.kind = EventKind::kTraced, .has_tag = true, .value = 2, .number = 3, .tag = -9, .index = 1},
      {.kind = EventKind::kTraced, .has_tag = true, .value = 2, .number = 3, .tag = -9, .index = 2},
      {.kind = EventKind::kTraced, .value = 3, .number = -1, .index = 1},
      {.kind = EventKind::kTraced, .value = 70000, .number = 70000, .index = ~uint64_t{0}},
      {.kind = EventKind::kReceived, .value = 3, .tag = -1, .index = 300, .communicator = uint64_t{1} << 40},
      {.kind = EventKind::kEnd, .value = 55, .hash = 0x90abcdef},
  };
  std::vector<uint8_t> bytes(64 * std::size(events));
  uint8_t* end = bytes.data();
  for (const RankEvent& event : events) {
    uint8_t* next = put_event(end, event);
    ASSERT_LE(next - end, static_cast<ptrdiff_t>(kMaxEventBytes));
    end = next;
  }
  const uint8_t* at = bytes.data();
  for (const RankEvent& event : events) {
    RankEvent read;
    for (const uint8_t* cut = at; cut < get_event(at, end, read); cut++) EXPECT_EQ(get_event(at, cut, read), nullptr);
    at = get_event(at, end, read);
    ASSERT_NE(at, nullptr);
    EXPECT_EQ(read.kind, event.kind);
    EXPECT_EQ(read.value, event.value);
    EXPECT_EQ(read.has_tag, event.has_tag);
    EXPECT_EQ(read.named, event.named);
    EXPECT_EQ(read.number, event.number);
    EXPECT_EQ(read.tag, event.tag);
    EXPECT_EQ(read.index, event.index);
    EXPECT_EQ(read.communicator, event.communicator);
    EXPECT_EQ(read.low, event.low);
    EXPECT_EQ(read.new_lane, event.new_lane);
    EXPECT_EQ(read.new_communicator, event.new_communicator);
    EXPECT_EQ(read.check, event.check);
    EXPECT_EQ(read.hash, event.hash);
  }
  EXPECT_EQ(at, end);
}

TEST(RankEvents, OfTracedMessagesAreShort) {
  for (uint64_t channel : {0, 1, 7, 8, 300, 65535}) {
    for (int64_t number : {0, 1, 2, 3, 15, 16, 65535}) {
      for (uint64_t index : {1, 2, 4, 5, 65536}) {
        RankEvent event{.kind = EventKind::kTraced, .value = channel, .number = number, .index = index}, read;
        uint8_t bytes[kMaxEventBytes];
        uint8_t* end = put_event(bytes, event);
        ASSERT_EQ(get_event(bytes, end, read), end);
        EXPECT_EQ(read.kind, event.kind);
        EXPECT_EQ(std::tuple(read.value, read.number, read.index, read.has_tag, read.named),
                  std::tuple(channel, number, index, false, false));
        EXPECT_GE(end - bytes, 2);  // a byte is a repeat
        if (channel <= 300 && number == 0 && index == 1) EXPECT_EQ(end - bytes, 2);
        if (channel < 4 && number < 4 && index <= 4) EXPECT_EQ(end - bytes, 2);
        if (channel < 16 && number < 16 && index <= 16) EXPECT_LE(end - bytes, 3);
      }
    }
  }
}

// What a rank writes and what is read of it, whatever has been told before; cut off anywhere, nothing more is read.
TEST(RankEvents, RepeatsAreOneByte) {
  std::mt19937_64 random(5);
  auto below = [&](uint64_t n) { return random() % n; };
  std::vector<RankEvent> events;
  for (int i = 0; i < 20000; i++) {
    uint64_t variety = i < 10000 ? 3 : 300;  // few different ones, then many
    switch (below(6)) {
      case 0: events.push_back({.kind = EventKind::kMatch, .value = below(variety)}); break;
      case 1:
        events.push_back({.kind = EventKind::kMatchAt,
                          .value = below(2),
                          .number = static_cast<int64_t>(below(variety)) - 2,
                          .tag = 1});
        break;
      case 2: events.push_back({.kind = EventKind::kOutcome, .value = 40 + below(variety)}); break;
      case 3: events.push_back({.kind = EventKind::kTime, .value = below(1000000)}); break;
      case 4:
        events.push_back({.kind = EventKind::kTraced, .value = below(variety), .number = 3, .index = 1 + below(2)});
        break;
      default: events.push_back({.kind = EventKind::kCheck, .check = 7, .value = below(variety)});
    }
  }
  std::vector<uint8_t> bytes;
  std::vector<size_t> ends;
  RankEncoder encoder;
  for (const RankEvent& event : events) {
    uint8_t one[kMaxEventBytes];
    bytes.insert(bytes.end(), one, encoder.put(one, event));
    ends.push_back(bytes.size());
  }
  RankDecoder decoder;
  const uint8_t* at = bytes.data();
  for (size_t i = 0; i < events.size(); i++) {
    RankEvent read;
    for (const uint8_t* cut = at; cut < bytes.data() + ends[i]; cut++) {
      RankDecoder copy = decoder;
      ASSERT_EQ(copy.get(at, cut, read), nullptr) << i;
    }
    at = decoder.get(at, bytes.data() + ends[i], read);
    ASSERT_EQ(at, bytes.data() + ends[i]) << i;
    EXPECT_EQ(std::tuple(read.kind, read.value, read.number, read.tag, read.index, read.check),
              std::tuple(events[i].kind, events[i].value, events[i].number, events[i].tag, events[i].index,
                         events[i].check));
    bool again = i > 2000 && i < 10000 && RecentEvents::keeps(read.kind, 2);
    if (again) EXPECT_EQ(ends[i] - ends[i - 1], 1u) << i;
  }
  // A place that nothing has come to.
  RankEvent none;
  RankDecoder fresh;
  uint8_t repeat = kRepeatBits | 3 << 3;
  EXPECT_EQ(fresh.get(&repeat, &repeat + 1, none), nullptr);
}

// Channels that come up and are named by numbers afterwards; events that name what has not come up.
TEST(RankEvents, ChannelsAreKnownAfterTheirFirstMessage) {
  TracedChannels channels;
  auto first = [](uint64_t source, int64_t tag, bool new_communicator, uint64_t communicator, int64_t low) {
    return RankEvent{.kind = EventKind::kTraced,
                     .has_tag = true,
                     .new_lane = true,
                     .new_communicator = new_communicator,
                     .value = source,
                     .tag = tag,
                     .index = 2,
                     .communicator = communicator,
                     .low = low};
  };
  auto expect = [](const TracedChannel* c, uint64_t communicator, int source, int tag, uint64_t index) {
    ASSERT_NE(c, nullptr);
    EXPECT_EQ(std::tuple(c->communicator, c->source, c->tag, c->index), std::tuple(communicator, source, tag, index));
  };
  EXPECT_EQ(channels.of({.kind = EventKind::kTraced}), nullptr);
  EXPECT_EQ(channels.of({.kind = EventKind::kTraced, .has_tag = true}), nullptr);
  EXPECT_EQ(channels.of(first(1, 5, false, 0, 0)), nullptr);
  uint64_t high = uint64_t{3} << 32;
  expect(channels.of(first(1, 5, true, 0, 1)), 1, 1, 5, 2);
  expect(channels.of(first(2, 1, true, 3, 6)), high | 7, 2, 6, 2);        // less than the last tag, the last low half
  expect(channels.of(first(3, 0, true, 3, -2)), high | 5, 3, 6, 2);
  expect(channels.of(first(4, -1, false, 1, 0)), high | 7, 4, 5, 2);      // one has come up since
  EXPECT_EQ(channels.of(first(4, 0, false, 3, 0)), nullptr);
  expect(channels.of({.kind = EventKind::kTraced, .has_tag = true, .value = 0, .tag = 4, .index = 1}), 1, 1, 9, 1);
  expect(channels.of({.kind = EventKind::kTraced, .value = 1, .index = 3}), high | 7, 2, 6, 5);
  expect(channels.of({.kind = EventKind::kTraced, .value = 4, .index = 1}), 1, 1, 9, 2);
  EXPECT_EQ(channels.of({.kind = EventKind::kTraced, .value = 5, .index = 1}), nullptr);
}

class RankFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/anaphora-rank-XXXXXX";
    path_ = ::mkdtemp(name);
    auto directory = open_trace_directory(path_);
    ASSERT_TRUE(directory);
    directory_ = std::move(*directory);
    RankTrace trace;
    trace.rank = 2;
    trace.ranks = 4;
    trace.id = 99;
    trace.mpi = "mpich";
    trace.options.mode = RankMode::kWildcard;
    trace.command = {"./app", "x"};
    ASSERT_TRUE(create_live_rank(directory_.get(), trace));
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  // Writes one block of events, as a rank would.
  void write_block(uint32_t blocks, uint64_t pending_no) {
    UniqueFd fd(::openat(directory_.get(), "rank-2", O_RDWR));
    ASSERT_EQ(::ftruncate(fd.get(), static_cast<off_t>(blocks * kLiveBlockBytes)), 0);
    LiveBlock block{0, 0, pending_no};
    uint8_t event[kMaxEventBytes];
    block.used = static_cast<uint32_t>(put_event(event, {.kind = EventKind::kMatch, .value = 1}) - event);
    off_t at = static_cast<off_t>((blocks - 1) * kLiveBlockBytes);
    ASSERT_EQ(::pwrite(fd.get(), &block, sizeof block, at), static_cast<ssize_t>(sizeof block));
    ASSERT_EQ(::pwrite(fd.get(), event, block.used, at + static_cast<off_t>(sizeof block)), block.used);
    ASSERT_EQ(::pwrite(fd.get(), &blocks, sizeof blocks, offsetof(LiveHeader, blocks)),
              static_cast<ssize_t>(sizeof blocks));
    uint64_t calls = 7 << 1;
    ASSERT_EQ(::pwrite(fd.get(), &calls, sizeof calls, offsetof(LiveHeader, calls)),
              static_cast<ssize_t>(sizeof calls));
  }

  std::string path_;
  UniqueFd directory_;
};

TEST_F(RankFiles, KilledRankIsReadWithItsRunOfNo) {
  write_block(3, 40);
  auto trace = read_rank(directory_.get(), 2);
  ASSERT_TRUE(trace) << trace.error().text;
  EXPECT_FALSE(trace->packed);
  EXPECT_FALSE(trace->finished);
  ASSERT_EQ(trace->streams.size(), 1u);
  EXPECT_EQ(trace->streams[0].calls, 7u);
  EXPECT_TRUE(trace->streams[0].inside);
  RankEvent event;
  const uint8_t* end = trace->streams[0].bytes.data() + trace->streams[0].bytes.size();
  const uint8_t* at = get_event(trace->streams[0].bytes.data(), end, event);
  EXPECT_EQ(event.kind, EventKind::kMatch);
  EXPECT_EQ(get_event(at, end, event), end);
  EXPECT_EQ(event.kind, EventKind::kNo);
  EXPECT_EQ(event.value, 40u);
}

TEST_F(RankFiles, PackingKeepsEverythingAndNoticesDamage) {
  write_block(3, 0);
  ProgramEnd end;
  end.signal = 9;
  ASSERT_TRUE(pack_rank(directory_.get(), 2, end));
  auto trace = read_rank(directory_.get(), 2);
  ASSERT_TRUE(trace) << trace.error().text;
  EXPECT_TRUE(trace->packed);
  EXPECT_EQ(trace->end->signal, 9);
  EXPECT_EQ(trace->command, (std::vector<std::string>{"./app", "x"}));
  EXPECT_EQ(trace->streams[0].calls, 7u);
  std::string file = path_ + "/rank-2";
  for (uintmax_t size = std::filesystem::file_size(file); size-- > 0;) {
    std::filesystem::resize_file(file, size);
    EXPECT_FALSE(read_rank(directory_.get(), 2)) << size;
  }
}

TEST_F(RankFiles, AnotherRanksFileIsRefused) {
  std::filesystem::rename(path_ + "/rank-2", path_ + "/rank-1");
  EXPECT_FALSE(read_rank(directory_.get(), 1));
}

}  // namespace
}  // namespace ana
