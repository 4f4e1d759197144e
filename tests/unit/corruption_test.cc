// Damaged traces: every single changed byte is noticed or does no harm, truncated ones are read as far as they go, and
// nothing crashes, hangs or asks for absurd amounts of memory.
#include <gtest/gtest.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "trace/chunk_format.h"
#include "trace/load_schedule.h"
#include "trace/schedule.h"
#include "trace/trace_directory.h"
#include "trace_builder.h"

namespace ana {
namespace {

TraceContents small_contents(bool has_end) {
  TraceContents contents;
  contents.has_end = has_end;
  StreamEncoder a, b;
  a.value(0, kOpProgram, 0, "/bin/app");
  a.edge({3, 0x555555556000, 1, 2, 0});
  a.value(7, 0, 5, "input");
  a.value(9, kOpThreadEnd);
  b.value(1, kOpThreadStart, 4711, std::string(8, '\1'));
  b.edge({4, 0x555555556010, 0, 3, 1});
  b.value(6, kOpThreadEnd);
  contents.streams = {a.take(), b.take()};
  return contents;
}

// What a trace says, as text; or the error.
struct Reading {
  bool ok = false;
  std::string text;
};

Reading read_everything(const std::string& directory) {
  auto reader = TraceReader::open(directory);
  if (!reader) return {false, reader.error().text};
  auto schedule = load_schedule(*reader);
  if (!schedule) return {false, schedule.error().text};
  std::string bytes(schedule->bytes, 0);
  EXPECT_EQ(::pread(schedule->file.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return {true, bytes + to_json(reader->manifest()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

TEST(Corruption, EveryChangedByteOfTheStreamsIsNoticed) {
  ScratchDirectory scratch;
  write_trace(scratch / "t", small_contents(true));
  std::string good = read_file(scratch / "t/streams");
  ASSERT_TRUE(read_everything(scratch / "t").ok);
  for (size_t at = 0; at < good.size(); at++) {
    for (int change : {1, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      write_file(scratch / "t/streams", bad);
      Reading reading = read_everything(scratch / "t");
      EXPECT_FALSE(reading.ok) << "byte " << at << " xor " << change;
      EXPECT_FALSE(reading.text.empty());
    }
  }
}

TEST(Corruption, EveryChangedByteOfTheManifestIsNoticedOrHarmless) {
  ScratchDirectory scratch;
  write_trace(scratch / "t", small_contents(true));
  std::string good = read_file(scratch / "t/manifest.json");
  Reading expected = read_everything(scratch / "t");
  ASSERT_TRUE(expected.ok);
  size_t harmless = 0;
  for (size_t at = 0; at < good.size(); at++) {
    for (int change : {1, 4, 0x80}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      write_file(scratch / "t/manifest.json", bad);
      Reading reading = read_everything(scratch / "t");
      if (!reading.ok) continue;
      harmless++;
      EXPECT_EQ(reading.text, expected.text) << "byte " << at << " xor " << change;
    }
  }
  EXPECT_LT(harmless, good.size());
}

TEST(Corruption, TruncationIsNoticedWhenTheTraceHasAnEnd) {
  ScratchDirectory scratch;
  write_trace(scratch / "t", small_contents(true));
  std::string good = read_file(scratch / "t/streams");
  for (size_t size = 0; size < good.size(); size++) {
    write_file(scratch / "t/streams", good.substr(0, size));
    EXPECT_FALSE(read_everything(scratch / "t").ok) << size;
  }
  write_file(scratch / "t/streams", good + "more");
  EXPECT_FALSE(read_everything(scratch / "t").ok);
}

TEST(Corruption, TruncatedTracesWithoutEndAreReadAsFarAsTheyGo) {
  ScratchDirectory scratch;
  write_trace(scratch / "t", small_contents(false));
  std::string good = read_file(scratch / "t/streams");
  for (size_t size = sizeof(FileHeader); size <= good.size(); size++) {
    write_file(scratch / "t/streams", good.substr(0, size));
    auto reader = TraceReader::open(scratch / "t");
    ASSERT_TRUE(reader.ok()) << size << reader.error().text;
    auto schedule = load_schedule(*reader);
    ASSERT_TRUE(schedule.ok()) << size << schedule.error().text;
    EXPECT_TRUE(schedule->problems.empty()) << size;
    EXPECT_EQ(size == good.size(), reader->chunks() == 2) << size;
  }
}

TEST(Corruption, ATornLastChunkOfATraceWithoutEndIsLeftOut) {
  ScratchDirectory scratch;
  write_trace(scratch / "t", small_contents(false));
  std::string bad = read_file(scratch / "t/streams");
  bad.back() ^= 1;
  write_file(scratch / "t/streams", bad);
  auto reader = TraceReader::open(scratch / "t");
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->chunks(), 1u);
  EXPECT_GT(reader->lost_bytes(), 0u);
}

TEST(Corruption, RandomDamageNeverCrashes) {
  ScratchDirectory scratch;
  std::mt19937_64 random(11);
  for (bool has_end : {true, false}) {
    std::string directory = scratch / (has_end ? "with" : "without");
    write_trace(directory, small_contents(has_end));
    std::string good = read_file(directory + "/streams");
    for (int i = 0; i < 3000; i++) {
      std::string bad = good;
      for (uint64_t n = 1 + random() % 8; n > 0; n--) bad[random() % bad.size()] = static_cast<char>(random());
      if (random() % 4 == 0) bad.resize(random() % bad.size());
      write_file(directory + "/streams", bad);
      read_everything(directory);
    }
  }
}

TEST(Corruption, FilesThatAreNotOursAreRefused) {
  ScratchDirectory scratch;
  EXPECT_FALSE(TraceReader::open(scratch / "missing").ok());
  std::filesystem::create_directory(scratch / "empty");
  EXPECT_FALSE(TraceReader::open(scratch / "empty").ok());
  write_trace(scratch / "t", small_contents(true));
  std::filesystem::rename(scratch / "t/streams", scratch / "elsewhere");
  std::filesystem::create_symlink(scratch / "elsewhere", scratch / "t/streams");
  EXPECT_FALSE(TraceReader::open(scratch / "t").ok());  // no links are followed
  std::filesystem::remove(scratch / "t/streams");
  ASSERT_EQ(::mkfifo((scratch / "t/streams").c_str(), 0600), 0);
  EXPECT_FALSE(TraceReader::open(scratch / "t").ok());  // and does not hang
}

TEST(Corruption, ManifestBombsAreRefused) {
  EXPECT_FALSE(parse_manifest(std::string(1 << 20, '[')).ok());
  EXPECT_FALSE(parse_manifest(std::string(100000, '[') + std::string(100000, ']')).ok());
  EXPECT_FALSE(parse_manifest("").ok());
  EXPECT_FALSE(parse_manifest("{}").ok());
  EXPECT_FALSE(parse_manifest("[1]").ok());
}

}  // namespace
}  // namespace ana
