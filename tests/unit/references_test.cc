// Files of references: both forms, and every way in which they can be wrong.
#include "trace/references.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zstd.h>

#include <random>

#include "trace/reference_format.h"
#include "trace_builder.h"

namespace ana {
namespace {

struct Row {
  uint32_t thread;
  Reference reference;
};

void expect_same(const std::vector<Row>& a, const std::vector<Row>& b);

class References : public testing::Test {
 protected:
  void write(const std::vector<Row>& rows) {
    auto writer = ReferenceWriter::create(path_);
    ASSERT_TRUE(writer) << writer.error().text;
    for (const Row& row : rows) writer->add(row.thread, row.reference);
    Status s = writer->finish();
    ASSERT_TRUE(s) << s.error().text;
  }
  void put(std::string_view bytes) { write_file(path_, std::string(bytes)); }
  std::string get() const { return read_file(path_); }
  // All rows, or the error.
  Result<std::vector<Row>> read() const {
    auto reader = ReferenceReader::open(path_);
    if (!reader) return reader.error();
    std::vector<Row> rows;
    ReferenceBlock block;
    for (;;) {
      auto more = reader->next(block);
      if (!more) return more.error();
      if (!*more) return rows;
      EXPECT_EQ(block.first, rows.size());
      for (size_t i = 0; i < block.rows.size(); i++) {
        const ReferenceRow& r = block.rows[i];
        EXPECT_LT(r.thread, reader->threads());
        rows.push_back({r.thread, {r.address, r.size, r.kind, block.sites.empty() ? 0 : block.sites[i],
                                   block.serials.empty() ? 0 : block.serials[i]}});
      }
    }
  }
  void expect_read(const std::vector<Row>& rows, const std::string& contents) {
    put(contents);
    auto back = read();
    ASSERT_TRUE(back) << back.error().text;
    expect_same(rows, *back);
  }
  std::string error() const {
    auto rows = read();
    if (rows) return "";
    EXPECT_TRUE(rows.error().text.starts_with(path_)) << rows.error().text;
    return rows.error().text.substr(std::min(rows.error().text.size(), path_.size()));
  }

  ScratchDirectory scratch_;
  std::string path_ = scratch_ / "refs";
};

void expect_same(const std::vector<Row>& a, const std::vector<Row>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); i++) {
    ASSERT_EQ(a[i].thread, b[i].thread) << i;
    ASSERT_EQ(a[i].reference.address, b[i].reference.address) << i;
    ASSERT_EQ(a[i].reference.size, b[i].reference.size) << i;
    ASSERT_EQ(a[i].reference.kind, b[i].reference.kind) << i;
    ASSERT_EQ(a[i].reference.site, b[i].reference.site) << i;
    ASSERT_EQ(a[i].reference.serial, b[i].reference.serial) << i;
  }
}

std::string compressed(const std::string& text) {
  std::string stored(ZSTD_compressBound(text.size()), '\0');
  stored.resize(ZSTD_compress(stored.data(), stored.size(), text.data(), text.size(), 1));
  return stored;
}

std::vector<Row> random_rows(size_t count, uint32_t threads, bool sites, uint64_t seed, bool serials = false) {
  std::mt19937_64 random(seed);
  std::vector<Row> rows;
  constexpr uint32_t kSizes[] = {1, 2, 4, 8, 16, 61, 62, 63, 64, 65, 4096, kMaxReferenceSize};
  for (size_t i = 0; i < count; i++) {
    uint64_t address = random() % 3 ? 0x7f0000000000 + random() % 4096 : random() >> (random() % 60 + 1);
    rows.push_back({static_cast<uint32_t>(random() % threads),
                    {address, kSizes[random() % std::size(kSizes)], static_cast<ReferenceKind>(random() % 3),
                     sites ? random() % 5 * 0x1000 : 0, serials ? i * 3 + 1 : 0}});
  }
  return rows;
}

TEST_F(References, ComeBackAsTheyWere) {
  for (bool sites : {false, true}) {
    for (uint32_t threads : {1u, 4u, 255u, 256u, 257u, kMaxReferenceThreads}) {
      for (size_t count : {size_t{0}, size_t{1}, size_t{1000}, size_t{kMaxBlockReferences}, size_t{150000}}) {
        auto rows = random_rows(count, threads, sites, threads + count, threads < 256);
        write(rows);
        auto back = read();
        ASSERT_TRUE(back) << back.error().text;
        expect_same(rows, *back);
      }
    }
  }
}

TEST_F(References, ImpossibleOnesAreNotWritten) {
  for (const Row& row :
       {Row{kMaxReferenceThreads, {0, 1, ReferenceKind::read, 0}}, Row{0, {0, 0, ReferenceKind::read, 0}},
        Row{0, {0, kMaxReferenceSize + 1, ReferenceKind::read, 0}},
        Row{0, {~uint64_t{0} - 3, 8, ReferenceKind::read, 0}}}) {
    auto writer = ReferenceWriter::create(path_);
    ASSERT_TRUE(writer);
    writer->add(0, {0x1000, 8, ReferenceKind::write, 0});
    writer->add(row.thread, row.reference);
    Status s = writer->finish();
    ASSERT_FALSE(s);
    EXPECT_NE(s.error().text.find("reference 2 is impossible"), std::string::npos) << s.error().text;
    EXPECT_NE(error().find("cut off"), std::string::npos);
  }
}

TEST_F(References, SerialsCannotGoBackwards) {
  auto at = [](uint64_t serial) { return Reference{0x1000, 8, ReferenceKind::write, 0, serial}; };
  write({{0, at(5)}, {1, at(3)}, {0, at(5)}, {1, at(4)}});
  EXPECT_EQ(error(), "");
  write({{0, at(5)}, {1, at(3)}, {0, at(4)}});
  EXPECT_EQ(error(), " is damaged at byte 16: reference 3 has serial 4, but thread 0 has come to 5 before");
  // Also when nobody wants to have them, and across blocks.
  std::vector<Row> rows(kMaxBlockReferences, {0, at(9)});
  rows.push_back({0, at(8)});
  write(rows);
  auto reader = ReferenceReader::open(path_, false);
  ASSERT_TRUE(reader);
  ReferenceBlock block;
  EXPECT_TRUE(reader->next(block).ok());
  EXPECT_TRUE(block.serials.empty());
  auto second = reader->next(block);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().text.find("reference 65537 has serial 8"), std::string::npos) << second.error().text;
}

TEST_F(References, WhatIsCutOffIsRefused) {
  write(random_rows(70000, 4, true, 1, true));
  std::string whole = get();
  for (size_t size = 1; size < whole.size(); size += 1 + size / 37) {
    put(std::string_view(whole).substr(0, size));
    EXPECT_NE(error(), "") << size << " of " << whole.size() << " bytes";
  }
  put(std::string_view(whole).substr(0, whole.size() - 1));
  EXPECT_NE(error().find(" is cut off: it does not end with a trailer at byte "), std::string::npos) << error();
}

TEST_F(References, EveryWrongBitIsNoticed) {
  auto rows = random_rows(600, 4, true, 2, true);
  write(rows);
  std::string whole = get();
  std::mt19937_64 random(3);
  for (size_t i = 0; i < whole.size(); i += 1 + random() % 8) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1 << random() % 8);
    put(damaged);
    auto back = read();
    // The four bytes of the header that say nothing, and bits in a zstd frame that do not change what comes out.
    if (back) expect_same(rows, *back);
  }
  std::string damaged = whole;
  damaged[sizeof(ReferenceFileHeader) + sizeof(ReferenceBlockHeader) + 100] ^= 0x10;
  put(damaged);
  EXPECT_TRUE(error().starts_with(" is damaged at byte 16: ")) << error();
}

TEST_F(References, OtherFilesAreRefused) {
  put("");
  EXPECT_EQ(error(), " is empty");
  put("{\"format\": 1}\n");
  EXPECT_EQ(error(), ", line 1: a file of references begins with a line `threads N`; this is something else");
  put(std::string("\x7f") + "ELF\2\1\1\0\0\0\0\n");
  EXPECT_EQ(error(), ", line 1: a file of references begins with a line `threads N`; this is something else");
  put("# nothing\n\n");
  EXPECT_EQ(error(), ", line 2: there is no line `threads N`, so this is no text of references");
  auto missing = ReferenceReader::open(scratch_ / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text, "cannot open " + (scratch_ / "none") + ": No such file or directory");
  auto directory = ReferenceReader::open(scratch_.path());
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().text.find("--trace-all=FILE"), std::string::npos);
  ASSERT_EQ(mkfifo((scratch_ / "pipe").c_str(), 0600), 0);
  int end = ::open((scratch_ / "pipe").c_str(), O_RDWR | O_CLOEXEC);
  auto pipe = ReferenceReader::open(scratch_ / "pipe");
  ::close(end);
  ASSERT_FALSE(pipe);
  EXPECT_NE(pipe.error().text.find("not a regular file"), std::string::npos);
  write(random_rows(10, 2, false, 4));
  std::string bytes = get();
  bytes[8] = 9;
  put(bytes);
  EXPECT_EQ(error(), " is a file of references of version 9; this tool reads version 1");
}

// Blocks that are consistent in themselves, but not with the trailer.
TEST_F(References, TheTrailerMustBeRight) {
  write({{0, {16, 4, ReferenceKind::read, 0}}, {1, {16, 4, ReferenceKind::write, 0}}});
  std::string whole = get();
  auto with_trailer = [&](std::vector<uint64_t> numbers, uint32_t threads) {
    ReferenceFileTail tail;
    memcpy(&tail, whole.data() + whole.size() - sizeof tail, sizeof tail);
    std::string out = whole.substr(0, tail.trailer);
    std::string stored(ZSTD_compressBound(8 * numbers.size()), '\0');
    stored.resize(ZSTD_compress(stored.data(), stored.size(), numbers.data(), 8 * numbers.size(), 1));
    ReferenceBlockHeader header{kReferenceTrailerMagic, threads, static_cast<uint32_t>(8 * numbers.size()),
                                static_cast<uint32_t>(stored.size()), 0};
    header.hash = reference_block_hash(header, tail.trailer, reinterpret_cast<uint8_t*>(numbers.data()));
    out.append(reinterpret_cast<char*>(&header), sizeof header);
    out += stored;
    out.append(reinterpret_cast<char*>(&tail), sizeof tail);
    put(out);
  };
  with_trailer({2, 1, 1}, 2);
  EXPECT_EQ(error(), "");
  with_trailer({2, 2}, 1);
  EXPECT_EQ(error(), " is damaged at byte 16: reference 2 is of thread 1, but the trailer declares 1 threads");
  with_trailer({3, 2, 1}, 2);
  EXPECT_NE(error().find("the trailer declares 3 references, there are 2"), std::string::npos);
  with_trailer({2, 2, 0}, 2);
  EXPECT_NE(error().find("the trailer declares 2 references of thread 0, there are 1"), std::string::npos);
  with_trailer({2, 1}, 2);
  EXPECT_NE(error().find("a trailer for 2 threads of 16 bytes"), std::string::npos);
}

TEST_F(References, TextIsImported) {
  std::string text =
      "# from elsewhere\n"
      "threads 3   # as many\n"
      "\n"
      "0 r 0x1000 4\n"
      "\t2  W 4096\n"
      "1 u 0x1008 8 0x401000\r\n"
      "0 w 0xfffffffffffffff0 15";
  std::vector<Row> rows = {{0, {0x1000, 4, ReferenceKind::read, 0}},
                           {2, {0x1000, 1, ReferenceKind::write, 0}},
                           {1, {0x1008, 8, ReferenceKind::update, 0x401000}},
                           {0, {0xfffffffffffffff0, 15, ReferenceKind::write, 0}}};
  std::string stored = compressed(text);
  expect_read(rows, text);
  expect_read(rows, stored);
  put(std::string_view(stored).substr(0, stored.size() - 3));
  EXPECT_NE(error().find(" is cut off at byte "), std::string::npos) << error();
}

TEST_F(References, LargeTextIsRead) {
  auto rows = random_rows(200000, 4, true, 5);
  std::string text = "threads 4\n";
  for (const Row& r : rows) {
    text += std::to_string(r.thread) + " " + "rwu"[static_cast<int>(r.reference.kind)] + " " +
            std::to_string(r.reference.address) + " " + std::to_string(r.reference.size) + " " +
            std::to_string(r.reference.site) + "\n";
  }
  expect_read(rows, text);
  expect_read(rows, compressed(text));
}

TEST_F(References, ErrorsOfTextNameTheLine) {
  struct Case {
    const char *line, *error;
  };
  for (const Case& c :
       {Case{"2 r 0x10", "thread 2, but 2 threads are declared (0 to 1)"},
        Case{"x r 0x10", "`x` is no number of a thread"}, Case{"-1 r 0x10", "`-1` is no number of a thread"},
        Case{"0 x 0x10", "`x` is not r, w or u"}, Case{"0 rw 0x10", "`rw` is not r, w or u"},
        Case{"0", "`` is not r, w or u"}, Case{"0 r", "`` is no address"}, Case{"0 r 0xg", "`0xg` is no address"},
        Case{"0 r 0x", "`0x` is no address"},
        Case{"0 r 99999999999999999999999", "`99999999999999999999999` is no address"},
        Case{"0 r 16 0", "`0` is no size from 1 to 16777216"},
        Case{"0 r 16 16777217", "`16777217` is no size from 1 to 16777216"},
        Case{"0 r 0xffffffffffffffff 8", "8 bytes at 0xffffffffffffffff are beyond all memory"},
        Case{"0 r 16 4 y", "`y` is no site"}, Case{"0 r 16 4 5 6", "`6` is too much"},
        Case{"threads 3", "`threads` is no number of a thread"}}) {
    put(std::string("threads 2\n0 r 0x10\n") + c.line + "\n0 r 0x10\n");
    EXPECT_EQ(error(), std::string(", line 3: ") + c.error);
  }
  for (const char* line : {"threads", "threads 0", "threads 32768", "threads x", "threads 2 3"}) {
    put(std::string(line) + "\n");
    EXPECT_EQ(error(), ", line 1: `threads` wants a number from 1 to 32767") << line;
  }
  put("threads 2\n" + std::string(5000000, 'x'));
  EXPECT_EQ(error(), ", line 2: the line is too long");
}

}  // namespace
}  // namespace ana
