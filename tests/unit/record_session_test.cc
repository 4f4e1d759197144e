// The recorder and the replayer with a host that only writes records (fake_host.cc).
#include "trace/record_session.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/load_schedule.h"
#include "trace/replay_session.h"
#include "trace_builder.h"

namespace ana {
namespace {

RecordRequest request_for(const std::string& directory, std::vector<std::string> arguments) {
  return {ANAPHORA_FAKE_HOST, directory, "/proc/self/exe", std::move(arguments), {}};
}

Manifest record(const std::string& directory, std::vector<std::string> arguments) {
  auto session = RecordSession::create(request_for(directory, std::move(arguments)));
  if (!session) throw std::runtime_error(session.error().text);
  auto manifest = session->run();
  if (!manifest) throw std::runtime_error(manifest.error().text);
  return *manifest;
}

// Every value is there, in order, and the stream ends as it should.
void expect_complete(const std::string& directory, uint32_t threads, int64_t records) {
  auto reader = TraceReader::open(directory);
  ASSERT_TRUE(reader.ok()) << reader.error().text;
  ASSERT_EQ(reader->slots(), threads);
  for (uint32_t slot = 0; slot < threads; slot++) {
    StreamCursor cursor = reader->stream(slot);
    int64_t next = 0;
    uint32_t last_op = 0;
    uint64_t last_count = 0;
    for (;;) {
      auto action = cursor.next();
      ASSERT_TRUE(action.ok()) << action.error().text;
      if (!*action) break;
      const Value& value = std::get<Value>(**action);
      if (value.op == 0) {
        ASSERT_EQ(value.result, next++);
      }
      last_op = value.op;
      last_count = value.count;
    }
    EXPECT_EQ(next, records);
    EXPECT_EQ(last_op, static_cast<uint32_t>(slot % 2 == 1 ? kOpThreadEnd : kOpEnd));
    if (slot % 2 == 0) {
      EXPECT_EQ(last_count, static_cast<uint64_t>(2 * records + 5));
    }
  }
}

TEST(RecordSessionTest, LosesNothing) {
  ScratchDirectory scratch;
  Manifest m = record(scratch / "t", {"4", "20000", "exit:3"});
  EXPECT_EQ(m.state, TraceState::kComplete);
  EXPECT_EQ(m.end->exit_code(), 3);
  EXPECT_EQ(m.slots.size(), 4u);
  expect_complete(scratch / "t", 4, 20000);
}

TEST(RecordSessionTest, SignalsAndUnfinishedRecords) {
  ScratchDirectory scratch;
  EXPECT_EQ(record(scratch / "killed", {"3", "100", "kill:11"}).end->exit_code(), 139);
  expect_complete(scratch / "killed", 3, 100);
  Manifest m = record(scratch / "partial", {"3", "100", "partial"});
  EXPECT_EQ(m.state, TraceState::kProgramDied);
  expect_complete(scratch / "partial", 3, 100);
}

TEST(RecordSessionTest, ReportsAreKept) {
  ScratchDirectory scratch;
  Manifest m = record(scratch / "t", {"1", "10", "report:1"});
  ASSERT_TRUE(m.end->report.has_value());
  EXPECT_EQ(m.end->report->a, 57u);
}

TEST(RecordSessionTest, AProgramIsStoppedAtTheLargestSize) {
  ScratchDirectory scratch;
  RecordRequest request = request_for(scratch / "t", {"2", "1000000000", "exit:0"});
  request.max_bytes = 1 << 20;
  auto session = RecordSession::create(request);
  ASSERT_TRUE(session.ok());
  auto manifest = session->run();
  ASSERT_TRUE(manifest.ok()) << manifest.error().text;
  EXPECT_EQ(manifest->end->exit_code(), 137);
  ASSERT_TRUE(manifest->end->report.has_value());
  EXPECT_EQ(manifest->end->report->kind, static_cast<uint32_t>(ReportKind::kSizeReached));
  EXPECT_GE(manifest->totals.file_bytes, request.max_bytes);
  auto reader = TraceReader::open(scratch / "t");
  ASSERT_TRUE(reader.ok()) << reader.error().text;
  auto schedule = load_schedule(*reader);
  ASSERT_TRUE(schedule.ok()) << schedule.error().text;
  EXPECT_TRUE(schedule->problems.empty());
}

TEST(RecordSessionTest, AMissingHostIsAnError) {
  ScratchDirectory scratch;
  RecordRequest request = request_for(scratch / "t", {});
  request.host = "/nonexistent/host";
  auto session = RecordSession::create(request);
  ASSERT_TRUE(session.ok());
  EXPECT_FALSE(session->run().ok());
  EXPECT_FALSE(session->started());
}

TEST(RecordSessionTest, ASecondTraceOfTheSameNameIsRefused) {
  ScratchDirectory scratch;
  record(scratch / "t", {"1", "10", "exit:0"});
  EXPECT_FALSE(RecordSession::create(request_for(scratch / "t", {})).ok());
}

// The recorder is killed while the program runs: the program goes too, and what was saved can be read.
TEST(RecordSessionTest, AKilledRecorderLeavesAUsableTrace) {
  ScratchDirectory scratch;
  pid_t recorder = ::fork();
  ASSERT_GE(recorder, 0);
  if (recorder == 0) {
    auto session = RecordSession::create(request_for(scratch / "t", {"3", "1000", "hang"}));
    if (session) (void)session->run().ok();
    ::_exit(0);
  }
  // Until all that the program writes before it hangs is there.
  for (int i = 0; i < 1000; i++) {
    auto reader = TraceReader::open(scratch / "t");
    if (reader.ok() && reader->slots() == 3) {
      auto schedule = load_schedule(*reader);
      if (schedule.ok() && schedule->values >= 3 * 1000) break;
    }
    ::usleep(10000);
  }
  ASSERT_EQ(::kill(recorder, SIGKILL), 0);
  ASSERT_EQ(::waitpid(recorder, nullptr, 0), recorder);
  auto reader = TraceReader::open(scratch / "t");
  ASSERT_TRUE(reader.ok()) << reader.error().text;
  EXPECT_FALSE(reader->has_end());
  EXPECT_EQ(recorded_end(reader->manifest()).exit_code(), 137);
  auto schedule = load_schedule(*reader);
  ASSERT_TRUE(schedule.ok()) << schedule.error().text;
  EXPECT_EQ(schedule->values, 3u * 1001 + 1);
}

TEST(ReplaySessionTest, EndsAsTheRecordingDid) {
  ScratchDirectory scratch;
  for (const char* end : {"exit:0", "exit:7", "kill:6"}) {
    std::string directory = scratch / end;
    record(directory, {"2", "50", end});
    auto reader = TraceReader::open(directory);
    ASSERT_TRUE(reader.ok());
    ASSERT_TRUE(check_replayable(reader->manifest(), {}).ok());
    auto schedule = load_schedule(*reader);
    ASSERT_TRUE(schedule.ok());
    auto outcome = replay(*reader, *schedule, {ANAPHORA_FAKE_HOST, 10});
    ASSERT_TRUE(outcome.ok()) << outcome.error().text;
    EXPECT_TRUE(outcome->faithful());
  }
}

TEST(ReplaySessionTest, ChangedProgramsAndLesserProcessorsAreRefused) {
  Manifest m = sample_manifest();
  EXPECT_FALSE(check_replayable(m, {}).ok());  // no such program
  auto self = identify_program("/proc/self/exe");
  ASSERT_TRUE(self.ok());
  m.program = *self;
  m.machine = this_machine();
  EXPECT_TRUE(check_replayable(m, {}).ok());
  m.machine.features.push_back("avx9000");
  EXPECT_FALSE(check_replayable(m, {}).ok());
  m.machine = this_machine();
  m.program.build_id = "gnu:00";
  EXPECT_FALSE(check_replayable(m, {}).ok());
}

}  // namespace
}  // namespace ana
