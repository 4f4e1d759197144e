// Streams: what is encoded is decoded again, in whatever pieces it comes; malformed bytes give errors.
#include <gtest/gtest.h>

#include <random>

#include "trace/stream_decoder.h"
#include "trace/stream_follower.h"
#include "trace/trace_directory.h"
#include "trace/trace_reader.h"
#include "trace_builder.h"

namespace ana {
namespace {

struct Copied {
  bool is_edge;
  Edge edge{};
  uint64_t count = 0;
  uint32_t op = 0;
  int64_t result = 0;
  std::string bytes{};
};

bool operator==(const Copied& a, const Copied& b) {
  if (a.is_edge != b.is_edge) return false;
  if (!a.is_edge) return a.count == b.count && a.op == b.op && a.result == b.result && a.bytes == b.bytes;
  return a.edge.count == b.edge.count && a.edge.site == b.edge.site && a.edge.source == b.edge.source &&
         a.edge.source_count == b.edge.source_count && a.edge.source_edges == b.edge.source_edges;
}

Copied copy(const Action& action) {
  if (const Edge* edge = std::get_if<Edge>(&action)) return {true, *edge};
  const Value& v = std::get<Value>(action);
  return {false, {}, v.count, v.op, v.result, std::string(v.bytes.begin(), v.bytes.end())};
}

std::vector<Copied> random_actions(std::mt19937_64& random, size_t n, StreamEncoder& encoder) {
  std::vector<Copied> actions;
  uint64_t count = 0;
  for (size_t i = 0; i < n; i++) {
    count += random() % 5 == 0 ? random() % 1000000 : random() % 3;
    if (random() % 5 == 0) {
      std::string bytes(1 + random() % 20, static_cast<char>(random() % 0x80));
      encoder.versions(count, bytes);
      actions.push_back({false, {}, count, kOpVersions, 0, bytes});
    } else if (random() % 2 == 0) {
      Edge edge{count, random(), static_cast<uint32_t>(random() % kMaxSlots), random(), random() % 1000};
      encoder.edge(edge);
      actions.push_back({true, edge});
    } else {
      std::string bytes(random() % 10 == 0 ? random() % 5000 : random() % 20, static_cast<char>(random()));
      uint32_t op = static_cast<uint32_t>(random() % 1030);
      int64_t result = static_cast<int64_t>(random());
      encoder.value(count, op, result, bytes);
      actions.push_back({false, {}, count, op, result, bytes});
    }
  }
  return actions;
}

TEST(Stream, DecodesWhatWasEncodedInAnyPieces) {
  for (uint64_t seed = 0; seed < 50; seed++) {
    std::mt19937_64 random(seed);
    StreamEncoder encoder;
    auto expected = random_actions(random, 200, encoder);
    auto bytes = encoder.take();
    StreamDecoder decoder;
    std::vector<Copied> got;
    for (size_t at = 0; at < bytes.size();) {
      size_t step = std::min<size_t>(1 + random() % 300, bytes.size() - at);
      decoder.feed(bytes.data() + at, step);
      at += step;
      Action action;
      StreamDecoder::Outcome outcome;
      while ((outcome = decoder.next(action)) == StreamDecoder::Outcome::kAction) got.push_back(copy(action));
      ASSERT_EQ(outcome, StreamDecoder::Outcome::kNeedMore);
    }
    EXPECT_TRUE(got == expected) << "seed " << seed;
    EXPECT_EQ(decoder.offset(), bytes.size());
  }
}

TEST(Stream, FollowerAgreesWithTheDecoderAtEveryByte) {
  std::mt19937_64 random(7);
  StreamEncoder encoder;
  random_actions(random, 100, encoder);
  auto bytes = encoder.take();
  StreamFollower follower;
  StreamDecoder decoder;
  uint64_t count = 0, edges = 0, values = 0;
  for (uint8_t byte : bytes) {
    follower.feed(&byte, 1);
    decoder.feed(&byte, 1);
    Action action;
    while (decoder.next(action) == StreamDecoder::Outcome::kAction) {
      count = count_of(action);
      (std::holds_alternative<Edge>(action) ? edges : values)++;
    }
    ASSERT_EQ(follower.count(), count);
    ASSERT_EQ(follower.edges(), edges);
    ASSERT_EQ(follower.values(), values);
    ASSERT_EQ(follower.between_records(), decoder.unfinished_bytes() == 0);
  }
}

StreamDecoder::Outcome decode_one(std::vector<uint8_t> bytes, std::string* problem = nullptr) {
  StreamDecoder decoder;
  decoder.feed(bytes.data(), bytes.size());
  Action action;
  auto outcome = decoder.next(action);
  if (problem != nullptr) *problem = decoder.problem();
  return outcome;
}

TEST(Stream, RefusesMalformedRecords) {
  std::string problem;
  EXPECT_EQ(decode_one({3}, &problem), StreamDecoder::Outcome::kMalformed);  // kind 3
  EXPECT_NE(problem.find("offset 0"), std::string::npos);
  EXPECT_EQ(decode_one(std::vector<uint8_t>(11, 0xff)), StreamDecoder::Outcome::kMalformed);  // endless varint
  StreamEncoder far_slot;
  far_slot.edge({1, 2, kMaxSlots, 3, 4});
  EXPECT_EQ(decode_one(far_slot.take()), StreamDecoder::Outcome::kMalformed);
  StreamEncoder endless_versions, versions_as_value;
  endless_versions.versions(1, "\x80");
  EXPECT_EQ(decode_one(endless_versions.take()), StreamDecoder::Outcome::kMalformed);
  versions_as_value.value(1, kOpVersions, 0, "\x80");
  EXPECT_EQ(decode_one(versions_as_value.take()), StreamDecoder::Outcome::kMalformed);
  StreamEncoder short_end;
  short_end.value(1, kOpEnd, 0, "short");
  EXPECT_EQ(decode_one(short_end.take()), StreamDecoder::Outcome::kMalformed);
  // A length that no memory could hold is refused before any is asked for.
  EXPECT_EQ(decode_one({1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}),
            StreamDecoder::Outcome::kMalformed);
}

TEST(Stream, NothingMayFollowTheEnd) {
  StreamEncoder encoder;
  encoder.value(5, kOpEnd, 0, std::string(sizeof(StreamEnd), '\0'));
  encoder.value(6, 1);
  auto bytes = encoder.take();
  StreamDecoder decoder;
  decoder.feed(bytes.data(), bytes.size());
  Action action;
  EXPECT_EQ(decoder.next(action), StreamDecoder::Outcome::kAction);
  EXPECT_EQ(decoder.next(action), StreamDecoder::Outcome::kMalformed);
}

TEST(Stream, RandomBytesNeverCrash) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; i++) {
    std::vector<uint8_t> bytes(random() % 64);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() >> (random() % 8));
    StreamDecoder decoder;
    StreamFollower follower;
    follower.feed(bytes.data(), bytes.size());
    decoder.feed(bytes.data(), bytes.size());
    Action action;
    while (decoder.next(action) == StreamDecoder::Outcome::kAction) {
    }
  }
}

std::vector<Copied> read_all(const TraceReader& reader, uint32_t slot) {
  std::vector<Copied> got;
  StreamCursor cursor = reader.stream(slot);
  for (;;) {
    auto action = cursor.next();
    EXPECT_TRUE(action.ok()) << (action.ok() ? "" : action.error().text);
    if (!action || !*action) return got;
    got.push_back(copy(**action));
  }
}

TEST(Trace, RoundTripOverManyChunks) {
  ScratchDirectory scratch;
  std::mt19937_64 random(3);
  TraceContents contents;
  std::vector<std::vector<Copied>> expected;
  for (int slot = 0; slot < 4; slot++) {
    StreamEncoder encoder;
    expected.push_back(random_actions(random, 3000, encoder));
    if (slot == 2) {
      std::string big(3 * kMaxChunkBytes + 17, 'b');  // larger than a chunk
      encoder.value(expected[2].back().is_edge ? expected[2].back().edge.count : expected[2].back().count, 9, 1, big);
      uint64_t count = expected[2].back().is_edge ? expected[2].back().edge.count : expected[2].back().count;
      expected[2].push_back({false, {}, count, 9, 1, big});
    }
    contents.streams.push_back(encoder.take());
  }
  write_trace(scratch / "t", contents);
  auto reader = TraceReader::open(scratch / "t");
  ASSERT_TRUE(reader.ok()) << reader.error().text;
  EXPECT_EQ(reader->slots(), 4u);
  EXPECT_GT(reader->chunks(), 4u);
  for (uint32_t slot = 0; slot < 4; slot++) EXPECT_TRUE(read_all(*reader, slot) == expected[slot]);
}

TEST(Trace, EndDropsAnUnfinishedRecord) {
  ScratchDirectory scratch;
  auto fd = create_trace_directory(scratch / "t");
  ASSERT_TRUE(fd.ok());
  auto writer = StreamWriter::create(fd->get());
  ASSERT_TRUE(writer.ok());
  StreamEncoder encoder;
  encoder.value(10, 1, 5, "whole");
  size_t whole = encoder.bytes().size();
  encoder.value(12, 1, 6, "cut off");
  auto bytes = encoder.take();
  ASSERT_TRUE(writer->append(0, bytes.data(), bytes.size() - 2).ok());
  ASSERT_TRUE(writer->put_end(0, 13, {0x1234, 3, 0}).ok());
  Manifest manifest = sample_manifest();
  manifest.state = TraceState::kProgramDied;
  manifest.end = ProgramEnd{};
  manifest.totals = writer->totals();
  ASSERT_TRUE(write_manifest(fd->get(), manifest).ok());
  auto reader = TraceReader::open(scratch / "t");
  ASSERT_TRUE(reader.ok()) << reader.error().text;
  auto got = read_all(*reader, 0);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].bytes, "whole");
  EXPECT_EQ(got[1].op, static_cast<uint32_t>(kOpEnd));
  EXPECT_EQ(got[1].count, 13u);
  EXPECT_GT(whole, 0u);
}

}  // namespace
}  // namespace ana
