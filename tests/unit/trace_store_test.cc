// Names and places of traces.
#include "trace/trace_store.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "trace_builder.h"

namespace ana {
namespace {

namespace fs = std::filesystem;

class TraceStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("ANAPHORA_TRACE_DIR", (scratch_ / "root").c_str(), 1);
    fs::create_directory(scratch_ / "root");
  }
  void TearDown() override { ::unsetenv("ANAPHORA_TRACE_DIR"); }
  void make(const std::string& path) { write_trace(path, {{{}}, true}); }
  ScratchDirectory scratch_;
};

TEST_F(TraceStoreTest, RootFollowsTheEnvironment) {
  std::string home = ::getenv("HOME") == nullptr ? "" : ::getenv("HOME");
  EXPECT_EQ(TraceStore::standard()->root(), scratch_ / "root");
  ::unsetenv("ANAPHORA_TRACE_DIR");
  ::setenv("XDG_DATA_HOME", "/xdg", 1);
  EXPECT_EQ(TraceStore::standard()->root(), "/xdg/anaphora");
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("HOME", "/home/u", 1);
  EXPECT_EQ(TraceStore::standard()->root(), "/home/u/.local/share/anaphora");
  ::unsetenv("HOME");
  EXPECT_FALSE(TraceStore::standard().ok());
  ::setenv("HOME", home.c_str(), 1);
}

TEST_F(TraceStoreTest, NumbersGoUp) {
  TraceStore store(scratch_ / "root");
  EXPECT_EQ(store.next_name("/usr/bin/app"), scratch_ / "root/app-0");
  make(scratch_ / "root/app-0");
  make(scratch_ / "root/app-9");
  make(scratch_ / "root/app-x");
  make(scratch_ / "root/apple-30");
  EXPECT_EQ(store.next_name("./app"), scratch_ / "root/app-10");
}

TEST_F(TraceStoreTest, Destinations) {
  EXPECT_EQ(choose_destination("", "./app")->trace, scratch_ / "root/app-0");
  EXPECT_EQ(choose_destination("name", "./app")->trace, scratch_ / "root/name");
  EXPECT_EQ(choose_destination(scratch_ / "a/b", "./app")->trace, scratch_ / "a/b");
  EXPECT_TRUE(fs::is_directory(scratch_ / "a"));
  EXPECT_FALSE(choose_destination(scratch_ / "a/b", "./app")->store.has_value());
  fs::create_directory(scratch_ / "dir");
  EXPECT_EQ(choose_destination(scratch_ / "dir/", "./app")->trace, scratch_ / "dir/app-0");
  make(scratch_ / "trace");
  EXPECT_EQ(choose_destination(scratch_ / "trace", "./app")->trace, scratch_ / "trace");
}

TEST_F(TraceStoreTest, LatestAndFinding) {
  TraceStore store(scratch_ / "root");
  EXPECT_FALSE(find_trace("").ok());
  make(scratch_ / "root/app-0");
  make(scratch_ / "root/app-1");
  EXPECT_EQ(*find_trace(""), scratch_ / "root/app-1");  // without a link: the newest
  ASSERT_TRUE(store.set_latest(scratch_ / "root/app-0").ok());
  EXPECT_EQ(*find_trace(""), scratch_ / "root/app-0");
  ASSERT_TRUE(store.set_latest(scratch_ / "root/app-1").ok());
  EXPECT_EQ(*find_trace("latest-trace"), scratch_ / "root/latest-trace");
  EXPECT_EQ(*find_trace("app-0"), scratch_ / "root/app-0");
  EXPECT_EQ(*find_trace(scratch_ / "root/app-0"), scratch_ / "root/app-0");
  EXPECT_EQ(*find_trace(scratch_ / "root"), scratch_ / "root/app-1");  // a directory with a link
  make(scratch_ / "root/app-0/threads-1");  // one inside another
  EXPECT_EQ(*find_trace("app-0/threads-1"), scratch_ / "root/app-0/threads-1");
  auto missing = find_trace("nothing");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().text.find("app-1"), std::string::npos);
}

TEST_F(TraceStoreTest, RemovalTakesOnlyTraces) {
  TraceStore store(scratch_ / "root");
  make(scratch_ / "root/app-0");
  make(scratch_ / "root/app-1");
  ASSERT_TRUE(store.set_latest(scratch_ / "root/app-1").ok());
  ASSERT_TRUE(remove_trace(scratch_ / "root/app-1").ok());
  store.repair_latest();
  EXPECT_EQ(store.latest(), scratch_ / "root/app-0");
  fs::create_directory(scratch_ / "precious");
  EXPECT_FALSE(remove_trace(scratch_ / "precious").ok());
  write_file(scratch_ / "root/app-0/precious", "not ours");
  EXPECT_FALSE(remove_trace(scratch_ / "root/app-0").ok());
  EXPECT_TRUE(fs::exists(scratch_ / "root/app-0/precious"));
}

}  // namespace
}  // namespace ana
