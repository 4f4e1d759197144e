// What ranks got from MPI: files as a killed rank and a killed recorder leave them, damage.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stddef.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "trace/contents_file.h"
#include "trace/trace_directory.h"

namespace ana {
namespace {

// kind, call, no numbers, m bytes
std::string record(size_t bytes, char fill) {
  EXPECT_LT(bytes, 0x4000u);
  std::string out = {3, 1, 0, static_cast<char>(0x80 | (bytes & 0x7f)), static_cast<char>(bytes >> 7)};
  return out + std::string(bytes, fill);
}

class ContentsFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = testing::TempDir() + "/contents-" + std::to_string(::getpid());
    std::filesystem::remove_all(path);
    auto made = create_trace_directory(path);
    ASSERT_TRUE(made.ok());
    directory_ = std::move(*made);
    path_ = path;
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  // As the rank does it.
  void write_block(uint32_t index, uint32_t stream, const std::string& bytes, bool full) {
    UniqueFd live(::openat(directory_.get(), live_contents_file_name(0).c_str(), O_RDWR));
    LiveContentsBlock block{stream, static_cast<uint32_t>(bytes.size()), full ? 1u : 0u, 0};
    off_t at = static_cast<off_t>(index * kContentsBlockBytes);
    ASSERT_EQ(::ftruncate(live.get(), at + static_cast<off_t>(kContentsBlockBytes)), 0);
    ASSERT_EQ(::pwrite(live.get(), &block, sizeof block, at), static_cast<ssize_t>(sizeof block));
    ASSERT_EQ(::pwrite(live.get(), bytes.data(), bytes.size(), at + static_cast<off_t>(sizeof block)),
              static_cast<ssize_t>(bytes.size()));
    uint32_t blocks = index + 1;
    ASSERT_EQ(::pwrite(live.get(), &blocks, sizeof blocks, offsetof(LiveContentsHeader, blocks)),
              static_cast<ssize_t>(sizeof blocks));
  }

  std::string read_stream(uint32_t stream) {
    auto reader = ContentsReader::open(directory_.get(), 0);
    EXPECT_TRUE(reader.ok()) << reader.error().text;
    std::string out;
    for (;;) {
      auto piece = reader->next(stream);
      EXPECT_TRUE(piece.ok());
      if (piece->empty()) return out;
      out.append(piece->begin(), piece->end());
    }
  }

  std::string path_;
  UniqueFd directory_;
};

TEST_F(ContentsFile, HasEachBlockOnceWhoeverIsKilled) {
  auto writer = ContentsWriter::create(directory_.get(), 0, 77);
  ASSERT_TRUE(writer.ok());
  std::string a = record(1000, 'a'), b = record(2000, 'b'), c = record(30, 'c'), d = record(40, 'd');
  write_block(1, 0, a + b.substr(0, 700), true);
  write_block(2, 1, c, false);
  write_block(3, 0, b.substr(700) + d, false);
  EXPECT_EQ(read_stream(0), a + b + d);  // nothing is moved yet
  ASSERT_TRUE(writer->drain().ok());
  EXPECT_EQ(read_stream(0), a + b + d);  // block 1 is
  EXPECT_EQ(read_stream(1), c);
  ASSERT_TRUE(writer->finish(directory_.get()).ok());
  EXPECT_EQ(::faccessat(directory_.get(), live_contents_file_name(0).c_str(), F_OK, 0), -1);
  EXPECT_EQ(read_stream(0), a + b + d);
  EXPECT_EQ(read_stream(1), c);
  auto reader = ContentsReader::open(directory_.get(), 0);
  EXPECT_EQ(reader->id(), 77u);
  EXPECT_EQ(reader->raw_bytes(), a.size() + b.size() + c.size() + d.size());
  EXPECT_TRUE(check_contents(*reader, false).ok());
}

TEST_F(ContentsFile, TakesATornChunkFromTheLiveFile) {
  auto writer = ContentsWriter::create(directory_.get(), 0, 77);
  ASSERT_TRUE(writer.ok());
  std::string a = record(5000, 'x');
  write_block(1, 0, a, true);
  // The recorder dies while it writes the chunk, and has not given the block's room back.
  UniqueFd packed(::openat(directory_.get(), contents_file_name(0).c_str(), O_WRONLY | O_APPEND));
  ChunkHeader torn{kChunkMagic, 0, 5000, 200, 0};
  ASSERT_EQ(::write(packed.get(), &torn, sizeof torn), static_cast<ssize_t>(sizeof torn));
  EXPECT_EQ(read_stream(0), a);
}

TEST_F(ContentsFile, SaysWhatIsWrong) {
  auto writer = ContentsWriter::create(directory_.get(), 0, 77);
  ASSERT_TRUE(writer.ok());
  std::string a = record(3000, 'a');
  write_block(1, 0, a + a.substr(0, 100), false);
  ASSERT_TRUE(writer->finish(directory_.get()).ok());
  auto cut = ContentsReader::open(directory_.get(), 0);
  ASSERT_TRUE(cut.ok());
  EXPECT_TRUE(check_contents(*cut, true).ok());  // of a rank that died
  auto whole = ContentsReader::open(directory_.get(), 0);
  Status checked = check_contents(*whole, false);
  ASSERT_FALSE(checked.ok());
  EXPECT_NE(checked.error().text.find("in the middle of a record"), std::string::npos);

  EXPECT_FALSE(ContentsReader::open(directory_.get(), 1).ok());
  std::string path = path_ + "/" + contents_file_name(0);
  for (uintmax_t bytes = std::filesystem::file_size(path); bytes-- > 0;) {
    std::filesystem::resize_file(path, bytes);
    EXPECT_FALSE(ContentsReader::open(directory_.get(), 0).ok()) << bytes;
  }
}

}  // namespace
}  // namespace ana
