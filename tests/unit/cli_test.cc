// Pieces of the command line tool.
#include <gtest/gtest.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/op_names.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "cli/sites.h"

namespace ana {
namespace {

size_t program_at(std::vector<std::string> words) {
  CLI::App root;
  std::vector<std::string> program;
  Command record = add_record(root, program);
  words.insert(words.begin(), "record");
  return find_program(words, *record.app) - 1;
}

TEST(Record, TheProgramBeginsAfterOurOptions) {
  EXPECT_EQ(program_at({"./app", "-o", "x"}), 0u);
  EXPECT_EQ(program_at({"-o", "x", "./app", "-q"}), 2u);
  EXPECT_EQ(program_at({"-ox", "./app"}), 1u);
  EXPECT_EQ(program_at({"--output-trace-dir=x", "./app"}), 1u);
  EXPECT_EQ(program_at({"--output-trace-dir", "x", "./app"}), 2u);
  EXPECT_EQ(program_at({"--until-failure", "./app", "5"}), 1u);
  EXPECT_EQ(program_at({"--until-failure=5", "./app"}), 1u);
  EXPECT_EQ(program_at({"-q", "--", "--odd-name"}), 1u);
  EXPECT_EQ(program_at({"--help"}), 1u);
}

TEST(Names, OfFunctionsOfCxx) {
  EXPECT_EQ(demangled("_ZN5bench4partEii"), "bench::part(int, int)");
  EXPECT_EQ(demangled("main"), "main");
  for (const char* type : {"i", "x", "d", "f", "St"}) EXPECT_EQ(demangled(type), type);  // names of C
}

TEST(Names, OfSystemCallsAndOperations) {
  EXPECT_EQ(syscall_name(0), "read");
  EXPECT_EQ(syscall_name(425), "io_uring_setup");
  EXPECT_EQ(syscall_name(99999), "system call 99999");
  EXPECT_EQ(op_name(1), "write");
  EXPECT_EQ(op_name(kOpThreadStart), "thread-start");
  EXPECT_EQ(op_name(5000), "operation 5000");
}

TEST(Output, NumbersForPeople) {
  EXPECT_EQ(human_bytes(1), "1 bytes");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_count(1234567), "1,234,567");
  EXPECT_EQ(human_count(12), "12");
  EXPECT_EQ(human_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(human_seconds(3599), "59 min 59 s");
  EXPECT_EQ(human_seconds(150), "2 min 30 s");
}

TEST(Output, BytesForPeople) {
  auto quote = [](const std::string& s, size_t limit) {
    return quote_bytes(reinterpret_cast<const uint8_t*>(s.data()), s.size(), limit);
  };
  EXPECT_EQ(quote("a\"b\n", 10), "\"a\\\"b\\n\"");
  EXPECT_EQ(quote("abcdef", 3), "\"abc\"...");
  EXPECT_EQ(quote(std::string("\0\1", 2), 10), "00 01");
}

TEST(Reports, EveryKindHasASentence) {
  SiteResolver sites("/nonexistent");
  for (uint32_t kind = 1; kind <= static_cast<uint32_t>(ReportKind::kNotFollowed) + 1; kind++) {
    Report report{};
    report.kind = kind;
    report.slot = 2;
    report.count = 77;
    strcpy(report.text, "DETAIL");
    std::string text = describe_report(report, {}, sites);
    EXPECT_GT(text.size(), 20u) << kind;
    EXPECT_NE(text.find("DETAIL"), std::string::npos) << kind;
  }
  Report report{};
  report.kind = static_cast<uint32_t>(ReportKind::kUnsupportedSyscall);
  report.a = 57;
  std::string text = describe_report(report, {}, sites);
  EXPECT_NE(text.find("fork"), std::string::npos);
  EXPECT_NE(text.find("57"), std::string::npos);
}

TEST(Reports, TextWithoutTerminatorIsBounded) {
  SiteResolver sites("/nonexistent");
  Report report{};
  report.kind = static_cast<uint32_t>(ReportKind::kFileChanged);
  memset(report.text, 'x', sizeof report.text);
  EXPECT_NE(describe_report(report, {}, sites).find(std::string(sizeof report.text, 'x')), std::string::npos);
}

}  // namespace
}  // namespace ana
