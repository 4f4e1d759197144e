// Files in traces, and what a table from elsewhere may say.
#include "trace/packed_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "trace/manifest.h"
#include "trace_builder.h"

namespace ana {
namespace {

namespace fs = std::filesystem;

class PackedFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    write_trace(trace_, {{{}}, true});
    write_file(scratch_ / "app", "program");
    fs::create_directory(scratch_ / "lib");
    write_file(scratch_ / "lib/libc.so.6", std::string(3000000, 'c'));
  }
  // The table with one word in place of another, and the right checksum.
  void change_table(const std::string& from, const std::string& to) {
    std::string text = read_file(trace_ + "/files.json");
    ASSERT_NE(text.find(from), std::string::npos);
    auto json = nlohmann::json::parse(text.replace(text.find(from), from.size(), to));
    json.erase("checksum");
    json["checksum"] = checksum_of(json);
    write_file(trace_ + "/files.json", json.dump());
  }
  ScratchDirectory scratch_;
  std::string trace_ = scratch_ / "trace", app_ = scratch_ / "app", libc_ = scratch_ / "lib/libc.so.6";
};

TEST_F(PackedFilesTest, FilesAreFoundInTheTrace) {
  auto none = PackedFiles::open(trace_);
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
  EXPECT_TRUE(none->check().ok());
  EXPECT_EQ(none->find(app_), app_);
  ASSERT_TRUE(pack_files(trace_, {app_, libc_}).ok());
  auto packed = PackedFiles::open(trace_);
  ASSERT_TRUE(packed.ok()) << packed.error().text;
  EXPECT_TRUE(packed->check().ok());
  EXPECT_EQ(packed->bytes(), 3000007u);
  EXPECT_EQ(packed->find(libc_), trace_ + "/files/1/libc.so.6");
  EXPECT_EQ(packed->find("/elsewhere"), "/elsewhere");
  EXPECT_EQ(read_file(packed->find(app_)), "program");
  ASSERT_TRUE(remove_packed_files(trace_).ok());
  EXPECT_TRUE(PackedFiles::open(trace_)->empty());
  EXPECT_FALSE(fs::exists(trace_ + "/files"));
}

TEST_F(PackedFilesTest, WhatIsMissingIsNotPacked) {
  EXPECT_FALSE(pack_files(trace_, {app_, "/nonexistent/library"}).ok());
  EXPECT_TRUE(PackedFiles::open(trace_)->empty());
  EXPECT_TRUE(pack_files(trace_, {app_}).ok());  // over what the attempt has left
}

TEST_F(PackedFilesTest, DamageIsFound) {
  ASSERT_TRUE(pack_files(trace_, {app_, libc_}).ok());
  write_file(trace_ + "/files/0/app", "progrbm");
  EXPECT_FALSE(PackedFiles::open(trace_)->check().ok());
  write_file(trace_ + "/files/0/app", "program");
  EXPECT_TRUE(PackedFiles::open(trace_)->check().ok());
  fs::rename(trace_ + "/files/0", trace_ + "/moved");
  fs::create_directory_symlink(trace_ + "/moved", trace_ + "/files/0");
  EXPECT_FALSE(PackedFiles::open(trace_)->check().ok());
}

TEST_F(PackedFilesTest, TablesAreNotTrusted) {
  ASSERT_TRUE(pack_files(trace_, {app_}).ok());
  change_table(app_, "/bin/..");
  EXPECT_FALSE(PackedFiles::open(trace_).ok());
  change_table("/bin/..", "relative");
  EXPECT_FALSE(PackedFiles::open(trace_).ok());
  change_table("relative", "/bin/app");
  EXPECT_TRUE(PackedFiles::open(trace_).ok());
  write_file(trace_ + "/files.json", "[]");
  EXPECT_FALSE(PackedFiles::open(trace_).ok());
  write_file(trace_ + "/files.json", "");
  EXPECT_FALSE(PackedFiles::open(trace_).ok());
}

}  // namespace
}  // namespace ana
