// What other processes printed: the file as the relay writes it, as a killed one leaves it, damage.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "trace/chunk_format.h"
#include "trace/printed_file.h"
#include "trace/trace_directory.h"
#include "trace_builder.h"

namespace ana {
namespace {

class PrintedFile : public testing::Test {
 protected:
  void SetUp() override {
    auto made = open_trace_directory(scratch_.path());
    ASSERT_TRUE(made.ok());
    directory_ = std::move(*made);
  }

  std::string path() const { return scratch_ / kPrintedName; }

  // Two pieces through the first channel, one through the second.
  void write(bool ends) {
    PrintedWriter writer(directory_.get());
    ASSERT_TRUE(writer.append(0, "one ", 4).ok());
    ASSERT_TRUE(writer.append(1, "error", 5).ok());
    ASSERT_TRUE(writer.flush().ok());
    ASSERT_TRUE(writer.append(0, "two", 3).ok());
    ASSERT_TRUE((ends ? writer.finish() : writer.flush()).ok());
    ASSERT_EQ(std::filesystem::file_size(path()), writer.file_bytes() + (ends ? sizeof(PrintedEnd) : 0));
  }

  static std::string text(const Printed& printed, uint32_t channel) {
    std::string out(printed.bytes[channel], 0);
    if (out.empty()) return out;
    EXPECT_EQ(::pread(printed.channel[channel].get(), out.data(), out.size(), 0), static_cast<ssize_t>(out.size()));
    return out;
  }

  ScratchDirectory scratch_;
  UniqueFd directory_;
};

TEST_F(PrintedFile, is_not_there_if_nothing_was_printed) {
  PrintedWriter writer(directory_.get());
  ASSERT_TRUE(writer.finish().ok());
  EXPECT_FALSE(std::filesystem::exists(path()));
  auto printed = read_printed(directory_.get());
  ASSERT_TRUE(printed.ok());
  EXPECT_TRUE(printed->has_end);
  EXPECT_FALSE(printed->channel[0].valid() || printed->channel[1].valid());
}

TEST_F(PrintedFile, has_what_was_printed_and_is_private) {
  write(true);
  auto printed = read_printed(directory_.get());
  ASSERT_TRUE(printed.ok()) << printed.error().text;
  EXPECT_TRUE(printed->has_end);
  EXPECT_EQ(text(*printed, 0), "one two");
  EXPECT_EQ(text(*printed, 1), "error");
  EXPECT_EQ(std::filesystem::status(path()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(PrintedFile, holds_more_than_a_chunk) {
  PrintedWriter writer(directory_.get());
  std::string much;
  for (int i = 0; much.size() < 3 * kMaxChunkBytes; i++) much += std::to_string(i);
  for (size_t at = 0; at < much.size(); at += 70'000)
    ASSERT_TRUE(writer.append(1, much.data() + at, std::min<size_t>(70'000, much.size() - at)).ok());
  ASSERT_TRUE(writer.finish().ok());
  auto printed = read_printed(directory_.get());
  ASSERT_TRUE(printed.ok()) << printed.error().text;
  EXPECT_EQ(text(*printed, 1), much);
}

TEST_F(PrintedFile, without_an_end_is_read_as_far_as_it_is_intact) {
  write(false);
  std::string whole = read_file(path());
  std::string last;
  for (size_t size = 0; size <= whole.size(); size++) {
    write_file(path(), whole.substr(0, size));
    auto printed = read_printed(directory_.get());
    ASSERT_TRUE(printed.ok()) << size << ": " << printed.error().text;
    EXPECT_FALSE(printed->has_end);
    std::string out = text(*printed, 0);
    EXPECT_EQ(std::string("one two").substr(0, out.size()), out);
    EXPECT_GE(out.size(), last.size());
    last = out;
  }
  EXPECT_EQ(last, "one two");
}

TEST_F(PrintedFile, with_an_end_is_refused_if_a_byte_is_another) {
  write(true);
  std::string whole = read_file(path());
  size_t end = whole.size() - sizeof(PrintedEnd);
  size_t changed_nothing = 0;  // zstd does not mind all bits of its headers
  for (size_t at = 0; at < whole.size(); at++) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    write_file(path(), changed);
    auto printed = read_printed(directory_.get());
    // A damaged end is as if there were none: then it is what cannot be read.
    if (at >= end) EXPECT_TRUE(printed.ok() && !printed->has_end && printed->lost_bytes == sizeof(PrintedEnd)) << at;
    else EXPECT_FALSE(printed.ok() && (text(*printed, 0) != "one two" || text(*printed, 1) != "error")) << at;
    changed_nothing += at < end && printed.ok();
  }
  EXPECT_LE(changed_nothing, 3u);  // one of each chunk
}

TEST_F(PrintedFile, with_an_end_is_refused_if_a_chunk_is_missing) {
  write(true);
  std::string whole = read_file(path());
  ChunkHeader first;
  memcpy(&first, whole.data() + sizeof(FileHeader), sizeof first);
  whole.erase(sizeof(FileHeader), sizeof first + first.stored_bytes);
  write_file(path(), whole);
  auto printed = read_printed(directory_.get());
  EXPECT_TRUE(!printed.ok() || !printed->has_end);
}

}  // namespace
}  // namespace ana
