// Pictures: events of lanes, what came after what, and their order.
#include <gtest/gtest.h>
#include <zlib.h>

#include "trace/rank_events.h"
#include "trace/references.h"
#include "trace/trace_reader.h"
#include "trace_builder.h"
#include "view/columns.h"
#include "view/order.h"
#include "view/page.h"
#include "view/perfetto.h"
#include "view/read_ranks.h"
#include "view/read_threads.h"
#include "view/sharing.h"

namespace ana::view {
namespace {

constexpr uint64_t kPlace = 0x400100;

Describe describe() {
  return {[](uint64_t site) { return Place{"a.c", "f", static_cast<uint32_t>(site & 0xff), 1, "x++;"}; },
          [](uint32_t op) { return "op " + std::to_string(op); }, [](const Value& v) { return path_in(v); }};
}

Result<Picture> read(std::vector<StreamEncoder>& streams) {
  ScratchDirectory scratch;
  TraceContents contents;
  for (StreamEncoder& stream : streams) contents.streams.push_back(stream.take());
  write_trace(scratch / "trace", contents);
  auto reader = TraceReader::open(scratch / "trace");
  if (!reader) return reader.error();
  Picture picture;
  if (Status s = add_threads(*reader, -1, describe(), {}, picture); !s) return s.error();
  if (Status s = put_in_order(picture, {}); !s) return s.error();
  return picture;
}

std::vector<Kind> kinds(const Lane& lane) {
  std::vector<Kind> out;
  for (const Event& event : lane.events) out.push_back(event.kind);
  return out;
}

TEST(View, APublicationStandsAfterItsCountAndBeforeTheNextEdge) {
  std::vector<StreamEncoder> streams(2);
  streams[0].value(5, 0, 1);
  streams[0].edge({7, kPlace, 1, 3, 0});
  streams[0].value(7, 1, 2);
  streams[0].value(9, 2, 3);
  streams[1].value(3, 0);
  streams[1].edge({10, kPlace, 0, 7, 0});  // before the edge of count 7
  streams[1].edge({11, kSiteOperation, 0, 7, 1});  // after it, and after the value of that count
  auto picture = read(streams);
  ASSERT_TRUE(picture) << picture.error().text;
  using enum Kind;
  EXPECT_EQ(kinds(picture->lanes[0]), (std::vector{kCall, kGave, kAccess, kCall, kGave, kCall}));
  EXPECT_EQ(kinds(picture->lanes[1]), (std::vector{kCall, kGave, kAccess, kSync}));
  EXPECT_EQ(picture->lanes[1].events[2].from_index, 1u);
  EXPECT_EQ(picture->lanes[1].events[3].from_index, 4u);
  EXPECT_EQ(picture->lanes[0].events[2].from_lane, 1u);
  EXPECT_EQ(picture->places[picture->lanes[0].events[2].place].file, "a.c");
  EXPECT_EQ(picture->lanes[1].events[3].place, 0u);
}

TEST(View, TheOrderRespectsLanesAndArrows) {
  std::vector<StreamEncoder> streams(3);
  for (uint32_t i = 1; i < 3; i++) streams[0].value(i, kOpCreate, i);
  for (uint32_t i = 1; i < 3; i++) streams[i].value(1, kOpThreadStart, 100);
  streams[1].edge({50, kPlace, 2, 9000, 0});
  streams[2].edge({20000, kPlace, 1, 60, 1});
  auto picture = read(streams);
  ASSERT_TRUE(picture) << picture.error().text;
  std::vector<bool> used(picture->events());
  for (const Lane& lane : picture->lanes) {
    for (size_t i = 0; i < lane.events.size(); i++) {
      const Event& event = lane.events[i];
      ASSERT_LT(event.at, used.size());
      EXPECT_FALSE(used[event.at]);
      used[event.at] = true;
      if (i > 0) EXPECT_GT(event.at, lane.events[i - 1].at);
      if (event.from_lane != kNoLane) EXPECT_GT(event.at, picture->lanes[event.from_lane].events[event.from_index].at);
    }
  }
  EXPECT_EQ(picture->lanes[2].events[0].from_lane, 0u);  // the start, after its creation
  EXPECT_EQ(picture->lanes[2].events[0].from_index, 1u);
}

TEST(View, ACircleIsRefused) {
  std::vector<StreamEncoder> streams(2);
  streams[0].edge({5, kPlace, 1, 9, 1});
  streams[1].edge({5, kPlace, 0, 9, 1});
  auto picture = read(streams);
  ASSERT_FALSE(picture);
  EXPECT_NE(picture.error().text.find("impossible"), std::string::npos);
}

TEST(View, AnEdgeFromASlotWithoutAStreamIsRefused) {
  std::vector<StreamEncoder> streams(1);
  streams[0].edge({5, kPlace, 7, 9, 1});
  EXPECT_FALSE(read(streams));
}

TEST(View, ColumnsSayWhereTheyAre) {
  std::vector<StreamEncoder> streams(2);
  streams[0].value(3, 0, -7, "text");
  streams[1].edge({5, kPlace, 0, 3, 0});
  auto picture = read(streams);
  ASSERT_TRUE(picture) << picture.error().text;
  std::vector<uint8_t> bytes = to_columns(*picture);
  uint32_t size;
  memcpy(&size, bytes.data(), sizeof size);
  auto head = nlohmann::json::parse(bytes.begin() + 4, bytes.begin() + 4 + size);
  EXPECT_EQ(head["events"], 3);
  EXPECT_EQ(head["columns"]["kinds"][1], 3);
  EXPECT_EQ(head["columns"]["results"], (nlohmann::json{0, 8}));
  int64_t result;
  memcpy(&result, bytes.data() + (4 + size + 7) / 8 * 8, sizeof result);
  EXPECT_EQ(result, -7);
  auto packed = compress(bytes);
  ASSERT_TRUE(packed);
  std::vector<uint8_t> again(bytes.size());
  uLongf length = again.size();
  ASSERT_EQ(uncompress(again.data(), &length, packed->data(), packed->size()), Z_OK);
  EXPECT_EQ(again, bytes);
}

TEST(View, APageNeedsItsTemplate) {
  ScratchDirectory scratch;
  write_file(scratch / "wrong.html", "<html></html>");
  Picture picture;
  EXPECT_FALSE(write_page(picture, scratch / "wrong.html", scratch / "out.html"));
  EXPECT_FALSE(write_page(picture, scratch / "missing.html", scratch / "out.html"));
  write_file(scratch / "right.html", "<ANAPHORA-PICTURE-GOES-HERE>");
  auto bytes = write_page(picture, scratch / "right.html", scratch / "out.html");
  ASSERT_TRUE(bytes) << bytes.error().text;
  std::string page = read_file(scratch / "out.html");
  EXPECT_EQ(page.size(), *bytes);
  EXPECT_TRUE(page.starts_with("<eJ")) << page.substr(0, 20);  // base64 of zlib's first bytes
}

RankTrace rank_with(uint32_t rank, const std::vector<RankEvent>& events) {
  RankTrace trace;
  trace.rank = rank;
  trace.ranks = 2;
  RankStream stream;
  RankEncoder encoder;
  for (const RankEvent& event : events) {
    uint8_t buffer[kMaxEventBytes];
    stream.bytes.insert(stream.bytes.end(), buffer, encoder.put(buffer, event));
  }
  trace.streams.push_back(stream);
  return trace;
}

TEST(View, MessagesComeFromTheLaneOfTheirSender) {
  RankEvent first{.kind = EventKind::kMatch}, again{.kind = EventKind::kTraced}, raced{.kind = EventKind::kTraced};
  first.value = 1;
  raced.has_tag = raced.new_lane = raced.new_communicator = true;
  raced.index = 1;
  raced.tag = 42;
  raced.value = 1;
  again.index = 1;
  Picture picture;
  RankTrace other = rank_with(1, {{.kind = EventKind::kOutcome}});
  Status read = add_ranks({rank_with(0, {first, raced, again}), other}, picture);
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_TRUE(put_in_order(picture, {}));
  ASSERT_EQ(picture.lanes.size(), 2u);
  ASSERT_EQ(picture.lanes[0].events.size(), 3u);
  for (const Event& event : picture.lanes[0].events) {
    EXPECT_EQ(event.kind, Kind::kMessage);
    EXPECT_EQ(event.from_lane, 1u);
    EXPECT_EQ(event.from_index, kSomewhere);
  }
  EXPECT_EQ(picture.lanes[0].events[2].result, 42);
  EXPECT_EQ(picture.lanes[1].events[0].kind, Kind::kAnswer);
  auto trace = nlohmann::json::parse(to_perfetto(picture));
  size_t flows = 0;
  for (const auto& entry : trace["traceEvents"]) flows += entry["ph"] == "s";
  EXPECT_EQ(flows, 3u);
}

TEST(View, TagsAreToldAsDifferences) {
  RankEvent told{.kind = EventKind::kMatch}, at{.kind = EventKind::kMatchAt}, same{.kind = EventKind::kMatch};
  told.has_tag = true;
  told.tag = 5;
  at.tag = 90;
  Picture picture;
  ASSERT_TRUE(add_ranks({rank_with(0, {told, told, at, told, same})}, picture));
  std::vector<int64_t> tags;
  for (const Event& event : picture.lanes[0].events) tags.push_back(event.result);
  EXPECT_EQ(tags, (std::vector<int64_t>{5, 10, 100, 105, 105}));
}

// Thread 1 comes after thread 0 at counts 10, 20 and 30: at the same bytes, at neighbours, and where nobody knows.
TEST(View, FalseSharingIsToldFromSharing) {
  std::vector<StreamEncoder> streams(2);
  streams[0].value(1, 0);
  for (uint64_t i = 1; i <= 3; i++) streams[1].edge({10 * i, kPlace, 0, i, 0});
  auto picture = read(streams);
  ASSERT_TRUE(picture) << picture.error().text;
  ScratchDirectory scratch;
  auto writer = ReferenceWriter::create(scratch / "references");
  ASSERT_TRUE(writer);
  constexpr uint64_t kLine = 0x1000;
  writer->add(0, {kLine, 8, ReferenceKind::write, 1, 1});
  writer->add(1, {kLine + 4, 4, ReferenceKind::read, 1, 10});
  writer->add(0, {kLine + 64, 8, ReferenceKind::write, 1, 2});
  writer->add(1, {kLine + 72, 8, ReferenceKind::write, 1, 20});
  writer->add(0, {kLine + 128, 8, ReferenceKind::read, 1, 3});
  writer->add(1, {kLine + 128, 8, ReferenceKind::read, 1, 30});
  ASSERT_TRUE(writer->finish());
  Status found = find_sharing(scratch / "references", *picture, {});
  ASSERT_TRUE(found) << found.error().text;
  std::vector<Sharing> sharing;
  std::vector<uint64_t> addresses;
  for (const Event& event : picture->lanes[1].events) {
    if (event.kind != Kind::kAccess) continue;
    sharing.push_back(event.sharing);
    addresses.push_back(event.address);
  }
  EXPECT_EQ(sharing, (std::vector{Sharing::kSame, Sharing::kNeighbours, Sharing::kUnknown}));
  EXPECT_EQ(addresses, (std::vector<uint64_t>{kLine + 4, kLine + 72, 0}));
}

TEST(View, ReferencesAcrossLinesAreOfBoth) {
  std::vector<StreamEncoder> streams(2);
  streams[0].value(1, 0);
  streams[1].edge({10, kPlace, 0, 1, 0});
  auto picture = read(streams);
  ASSERT_TRUE(picture);
  ScratchDirectory scratch;
  auto writer = ReferenceWriter::create(scratch / "references");
  ASSERT_TRUE(writer);
  writer->add(0, {0x1040, 64, ReferenceKind::write, 1, 1});
  writer->add(1, {0x1000, 128, ReferenceKind::update, 1, 10});
  ASSERT_TRUE(writer->finish());
  ASSERT_TRUE(find_sharing(scratch / "references", *picture, {}));
  const Event& event = picture->lanes[1].events.back();
  EXPECT_EQ(event.sharing, Sharing::kSame);
  EXPECT_EQ(event.address, 0x1040u);
}

TEST(View, ReferencesWithoutEventsAreRefused) {
  std::vector<StreamEncoder> streams(1);
  streams[0].value(1, 0);
  auto picture = read(streams);
  ASSERT_TRUE(picture);
  ScratchDirectory scratch;
  write_file(scratch / "text", "threads 1\n0 w 0x1000 8\n");
  EXPECT_FALSE(find_sharing(scratch / "text", *picture, {}));
  EXPECT_FALSE(find_sharing(scratch / "missing", *picture, {}));
}

TEST(View, ADamagedStreamOfARankIsRefused) {
  RankEvent unknown{.kind = EventKind::kTraced};
  unknown.value = 9;
  unknown.index = 1;
  Picture picture;
  EXPECT_FALSE(add_ranks({rank_with(0, {unknown})}, picture));
}

}  // namespace
}  // namespace ana::view
