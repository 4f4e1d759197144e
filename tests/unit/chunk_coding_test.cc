// Chunks: what is stored is got back, whatever it is and wherever the chunk was cut; damaged bytes give errors; and edges
// that are alike take little room.
#include "trace/chunk_coding.h"

#include <gtest/gtest.h>
#include <string.h>
#include <zstd.h>

#include <functional>
#include <limits>
#include <map>
#include <random>

#include "trace/bit_coder.h"
#include "trace/chunk_format.h"
#include "trace/stream_follower.h"
#include "trace_builder.h"

namespace ana {
namespace {

std::vector<uint8_t> encoded(const std::vector<uint8_t>& raw, size_t first_record = 0) {
  ChunkEncoder encoder;
  std::vector<uint8_t> stored;
  EXPECT_TRUE(encoder.encode(raw.data(), raw.size(), first_record, stored));
  EXPECT_LE(stored.size(), kMaxStoredBytes);
  return stored;
}

// Empty: not the stored form of so many bytes.
std::vector<uint8_t> decoded(const std::vector<uint8_t>& stored, size_t raw_bytes) {
  std::vector<uint8_t> raw(raw_bytes);
  if (!decode_chunk(stored.data(), stored.size(), raw.data(), raw.size())) return {};
  return raw;
}

void expect_round_trip(const std::vector<uint8_t>& raw, size_t first_record, const std::string& what) {
  std::vector<uint8_t> stored = encoded(raw, first_record);
  EXPECT_TRUE(decoded(stored, raw.size()) == raw) << what;
  EXPECT_TRUE(decoded(stored, raw.size() + 1).empty()) << what;
  if (raw.size() > 1) EXPECT_TRUE(decoded(stored, raw.size() - 1).empty()) << what;
}

uint64_t any_number(std::mt19937_64& random) { return random() >> random() % 64; }

// A stream as threads log it, with all sizes of numbers.
std::vector<uint8_t> some_stream(std::mt19937_64& random, size_t records) {
  StreamEncoder stream;
  uint64_t count = 0;
  uint64_t sites = 1 + random() % 100, slots = 1 + random() % (random() % 2 == 0 ? 3 : kMaxSlots);
  for (size_t i = 0; i < records; i++) {
    count += random() % 4 == 0 ? any_number(random) >> 12 : random() % 20;
    uint64_t which = random() % 20;
    if (which == 0) {
      stream.value(count, static_cast<uint32_t>(random() % 1050), static_cast<int64_t>(any_number(random)),
                   std::string(random() % 300, static_cast<char>(random())));
    } else if (which == 1) {
      stream.versions(count, std::string(1 + random() % 30, static_cast<char>(random() % 0x80)));
    } else {
      uint64_t site = random() % 50 == 0 ? any_number(random) : 0x555555550000 + random() % sites * 16;
      stream.edge({count, site, static_cast<uint32_t>(random() % slots), any_number(random), any_number(random)});
    }
  }
  return stream.take();
}

TEST(ChunkCoding, GivesBackStreamsThatWereCutAnywhere) {
  for (uint64_t seed = 0; seed < 60; seed++) {
    std::mt19937_64 random(seed);
    std::vector<uint8_t> stream = some_stream(random, 1 + random() % 400);
    StreamFollower follower;
    for (size_t at = 0; at < stream.size();) {
      size_t size = std::min<size_t>(1 + random() % 2000, stream.size() - at);
      std::vector<uint8_t> chunk(stream.begin() + static_cast<ptrdiff_t>(at),
                                 stream.begin() + static_cast<ptrdiff_t>(at + size));
      StreamFollower before = follower;
      expect_round_trip(chunk, before.finish_record(chunk.data(), chunk.size()), "seed " + std::to_string(seed));
      follower.feed(chunk.data(), chunk.size());
      at += size;
    }
    EXPECT_TRUE(follower.between_records());
  }
}

TEST(ChunkCoding, GivesBackWhatIsNoStream) {
  std::mt19937_64 random(3);
  expect_round_trip({0}, 0, "one byte");
  for (int i = 0; i < 300; i++) {
    std::vector<uint8_t> raw(1 + random() % 500);
    uint8_t mask = static_cast<uint8_t>(random() % 3 == 0 ? 0xff : random() % 2 == 0 ? 0x83 : 0x0c);
    for (uint8_t& byte : raw) byte = static_cast<uint8_t>(random()) & mask;
    expect_round_trip(raw, random() % (raw.size() + 1), "bytes " + std::to_string(i));
  }
  // Integers that take more bytes than they need are not written again in fewer.
  expect_round_trip({0x80, 0x00, 0x00, 0x00, 0x00, 0x00}, 0, "a long head");
  expect_round_trip({0x00, 0x02, 0x80, 0x00, 0x00, 0x00}, 0, "a long source");
  // Nor is a source that cannot be taken for another one.
  expect_round_trip({0x00, 0x02, 0x80, 0x08, 0x00, 0x00}, 0, "source 1,024");
  expect_round_trip({0x00, 0x02, 0xff, 0x07, 0x00, 0x00}, 0, "source 1,023");
}

TEST(ChunkCoding, GivesBackTheLargestAndTheSmallestNumbers) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  StreamEncoder stream;
  uint64_t count = 0;
  for (uint64_t step : {uint64_t{0}, uint64_t{1}, kMost >> 2, uint64_t{0}, uint64_t{1}}) {
    for (uint64_t a : {uint64_t{0}, kMost, uint64_t{1} << 63, (uint64_t{1} << 63) - 1, uint64_t{1}}) {
      for (uint64_t b : {uint64_t{0}, kMost, uint64_t{1} << 63, (uint64_t{1} << 63) - 1, uint64_t{1}}) {
        stream.edge({count, a, static_cast<uint32_t>(b % kMaxSlots), b, a ^ b});
        stream.edge({count, b, kMaxSlots - 1, a, b});
      }
    }
    count += step;
  }
  expect_round_trip(stream.take(), 0, "extremes");
}

TEST(ChunkCoding, HoldsAFullChunkOfAnything) {
  std::mt19937_64 random(5);
  std::vector<uint8_t> noise(kMaxChunkBytes);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  expect_round_trip(noise, 0, "noise");
  expect_round_trip(std::vector<uint8_t>(kMaxChunkBytes, 0), 0, "edges that say nothing");
  // The shortest edges there are, as unlike one another as can be: not coded worse than they stand there.
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random() % 32 * 4);
  expect_round_trip(noise, 0, "short edges");
  EXPECT_LE(encoded(noise).size(), noise.size());
}

TEST(ChunkCoding, EdgesThatAreAlikeTakeLittleRoom) {
  std::mt19937_64 random(9);
  StreamEncoder stream;
  uint64_t count = 0, source = 0;
  constexpr uint64_t kEdges = 10000;
  for (uint64_t i = 0; i < kEdges; i++) {
    count += 1024 + random() % 1024;
    source += 64 + random() % 64;
    stream.edge({count, 0x555555551000 + i % 3 * 48, 1, source, i});
  }
  std::vector<uint8_t> raw = stream.take();
  // 16 bits of each are chance, and nothing else can be told from what came before.
  EXPECT_LT(encoded(raw).size(), kEdges * 2 + kEdges / 10);
}

// As ldconfig writes it: paths in some order, entries by name, the last one first, numbers as such.
std::string loader_cache(uint32_t entries) {
  std::string names, table;
  auto put = [](std::string& to, uint32_t word) { to.append(reinterpret_cast<const char*>(&word), sizeof word); };
  std::map<uint32_t, uint32_t, std::greater<>> places;
  for (uint32_t i = 0; i < entries; i++) {
    uint32_t number = i * 7919 % 10007;
    places[number] = static_cast<uint32_t>(48 + 24 * entries + names.size());
    names += "/lib/x86_64-linux-gnu/lib" + std::to_string(number) + ".so." + std::to_string(i % 3) + '\0';
  }
  for (auto [number, at] : places) {
    for (uint32_t word : {0x0303u, at + 22, at, 0u, number % 5, number % 7 == 0 ? 0x80000000u : 0u}) put(table, word);
  }
  std::string cache = "glibc-ld.so.cache1.1";
  put(cache, entries);
  put(cache, static_cast<uint32_t>(names.size()));
  cache.resize(48);
  return cache + table + names;
}

TEST(ChunkCoding, TheCacheOfTheLoaderTakesLessRoomThanAFrame) {
  std::string cache = loader_cache(800);
  StreamEncoder stream;
  stream.edge({3, 0x555555556000, 1, 2, 0});
  stream.value(9, kOpFileMapping, 4096, cache);
  stream.value(9, 3, 0, "");
  std::vector<uint8_t> raw = stream.take();
  expect_round_trip(raw, 0, "whole");
  std::vector<uint8_t> frame(ZSTD_compressBound(raw.size()));
  EXPECT_LT(encoded(raw).size(), ZSTD_compress(frame.data(), frame.size(), raw.data(), raw.size(), 1) / 2);
  // Cut off in the table, at its end, and in the names.
  for (size_t size : {100u, 47u, 48u, 72u, 48u + 24 * 800, 48u + 24 * 800 - 1, 48u + 24 * 800 + 20}) {
    StreamEncoder cut;
    cut.value(9, kOpFileMapping, 4096, cache.substr(0, size));
    expect_round_trip(cut.take(), 0, "cut at " + std::to_string(size));
  }
  // A number of entries that is not true, and none.
  for (uint32_t entries : {0u, 1u, 799u, 801u, 0x7fffffffu, 0xffffffffu}) {
    memcpy(cache.data() + 20, &entries, sizeof entries);
    StreamEncoder untrue;
    untrue.value(9, kOpFileMapping, 4096, cache);
    expect_round_trip(untrue.take(), 0, std::to_string(entries) + " entries");
  }
}

TEST(ChunkCoding, DamageNeverDoesHarm) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 3000; i++) {
    std::vector<uint8_t> raw = some_stream(random, 1 + random() % 60);
    std::vector<uint8_t> stored = encoded(raw);
    for (uint64_t n = 1 + random() % 4; n > 0; n--) stored[random() % stored.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0) stored.resize(random() % stored.size());
    decoded(stored, raw.size());
  }
  for (size_t size = 0; size < 64; size++) decoded(std::vector<uint8_t>(size, 0xff), 1000);
  EXPECT_TRUE(decoded({0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0}, kMaxChunkBytes).empty());  // many records, nothing in them
}

TEST(ChunkCoding, BitsAreGotBackWhateverTheirModelsExpect) {
  for (uint64_t seed = 0; seed < 50; seed++) {
    std::mt19937_64 random(seed);
    uint64_t ones = 1 + random() % 1000;  // in a thousand
    std::vector<bool> bits(random() % 5000);
    for (size_t i = 0; i < bits.size(); i++) bits[i] = random() % 1000 < ones;
    std::vector<uint8_t> bytes;
    BitEncoder encoder(bytes);
    BitModel model;
    for (bool bit : bits) {
      encoder.bit(model, bit);
      if (bit) encoder.plain(static_cast<uint32_t>(ones % 65), ones % 65 == 0 ? 0 : ~uint64_t{0} >> (64 - ones % 65));
    }
    encoder.finish();
    BitDecoder decoder(bytes.data(), bytes.size());
    BitModel again;
    for (bool bit : bits) {
      ASSERT_EQ(decoder.bit(again, false), bit) << "seed " << seed;
      if (bit) {
        uint64_t all = ones % 65 == 0 ? 0 : ~uint64_t{0} >> (64 - ones % 65);
        ASSERT_EQ(decoder.plain(static_cast<uint32_t>(ones % 65), 0), all) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace ana
