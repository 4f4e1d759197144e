#include "trace/manifest.h"

#include <gtest/gtest.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/trace_directory.h"
#include "trace/version.h"
#include "trace_builder.h"

namespace ana {
namespace {

Manifest full_manifest() {
  Manifest m = sample_manifest();
  m.state = TraceState::kProgramDied;
  ProgramEnd end;
  end.signal = 11;
  end.wall_seconds = 1.25;
  end.threads_created = 3;
  Report report{};
  report.kind = static_cast<uint32_t>(ReportKind::kUnsupportedSyscall);
  report.a = 425;
  strcpy(report.text, "why");
  end.report = report;
  m.end = end;
  m.totals = {3, 1000, 400};
  SlotSummary slot;
  slot.slot = 1;
  slot.count = 77;
  slot.raw_bytes = 900;
  slot.status.state = static_cast<uint32_t>(SlotState::kWaiting);
  slot.status.tid = 4711;
  slot.status.edges = ~0ull;
  m.slots = {slot};
  m.tuning.tenure_ns = 123;
  return m;
}

TEST(ManifestTest, RoundTrip) {
  auto back = parse_manifest(format_manifest(full_manifest()));
  ASSERT_TRUE(back.ok()) << back.error().text;
  EXPECT_EQ(back->state, TraceState::kProgramDied);
  EXPECT_EQ(back->command, full_manifest().command);
  EXPECT_EQ(back->cwd, "/home/odd\uFFFD");  // bytes that are not UTF-8
  EXPECT_EQ(back->program.build_id, "gnu:0123");
  ASSERT_TRUE(back->end.has_value());
  EXPECT_EQ(back->end->exit_code(), 139);
  ASSERT_TRUE(back->end->report.has_value());
  EXPECT_EQ(back->end->report->a, 425u);
  EXPECT_STREQ(back->end->report->text, "why");
  EXPECT_EQ(back->totals.file_bytes, 400u);
  ASSERT_EQ(back->slots.size(), 1u);
  EXPECT_EQ(back->slots[0].status.edges, ~0ull);
  EXPECT_EQ(back->slots[0].status.tid, 4711u);
  EXPECT_EQ(back->tuning.tenure_ns, 123u);
  EXPECT_EQ(back->machine.features, full_manifest().machine.features);
}

TEST(ManifestTest, WithoutEnd) {
  auto back = parse_manifest(format_manifest(sample_manifest()));
  ASSERT_TRUE(back.ok()) << back.error().text;
  EXPECT_EQ(back->state, TraceState::kRecording);
  EXPECT_FALSE(back->end.has_value());
}

TEST(ManifestTest, ChangedContentsAreNoticed) {
  std::string text = format_manifest(full_manifest());
  size_t at = text.find("\"signal\":11");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 11, "\"signal\":15");
  auto back = parse_manifest(text);
  ASSERT_FALSE(back.ok());
  EXPECT_NE(back.error().text.find("checksum"), std::string::npos);
}

TEST(ManifestTest, OtherVersionsAreNamed) {
  std::string text = format_manifest(sample_manifest());
  std::string mine = "\"version\":" + std::to_string(kTraceFormat);
  size_t at = text.find(mine);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, mine.size(), "\"version\":999");
  auto back = parse_manifest(text);
  ASSERT_FALSE(back.ok());
  EXPECT_NE(back.error().text.find("999"), std::string::npos);
}

TEST(ManifestTest, UnknownAlgorithmsAreNamed) {
  Manifest m = full_manifest();
  m.tuning.algorithm = "optimal-sundial";
  auto parsed = parse_manifest(format_manifest(m));
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().text.find("'optimal-sundial'"), std::string::npos) << parsed.error().text;
}

TEST(ManifestTest, FilesAreThePrivateOnesOfTheUser) {
  ScratchDirectory scratch;
  auto fd = create_trace_directory(scratch / "t");
  ASSERT_TRUE(fd.ok());
  ASSERT_TRUE(write_manifest(fd->get(), sample_manifest()).ok());
  ASSERT_TRUE(write_manifest(fd->get(), full_manifest()).ok());  // replaces
  struct stat info;
  ASSERT_EQ(::stat((scratch / "t").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat((scratch / "t/manifest.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  auto back = read_manifest(fd->get());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->state, TraceState::kProgramDied);
  EXPECT_FALSE(create_trace_directory(scratch / "t").ok());
}

}  // namespace
}  // namespace ana
