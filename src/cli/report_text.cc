#include "cli/report_text.h"

#include <fmt/format.h>
#include <string.h>

#include "cli/op_names.h"
#include "cli/output.h"
#include "cli/syscall_hints.h"

namespace ana {

namespace {

std::string where(const Report& report, const std::vector<SlotSummary>& slots, SiteResolver& sites) {
  std::string thread = fmt::format("slot {}", report.slot);
  if (report.slot < slots.size())
    thread = fmt::format("thread {} (slot {})", slots[report.slot].status.ordinal, report.slot);
  std::string text = fmt::format("{}, event {}", thread, report.count);
  if (report.site != 0) text += ", at " + sites.describe(report.site);
  return text;
}

std::string text_of(const Report& report) { return {report.text, strnlen(report.text, sizeof report.text)}; }

std::string with_detail(std::string text, const std::string& detail) {
  return detail.empty() ? text : text + ": " + detail;
}

constexpr const char* kDivergedRemedy =
    "\n  This should not happen with the same program and libraries. Memory that the recording does not cover (code "
    "not "
    "built with anaphora-cc,\n  inline assembly, memory shared with other processes) is the usual cause.";

}  // namespace

std::string describe_report(const Report& report, const std::vector<SlotSummary>& slots, SiteResolver& sites) {
  std::string place = where(report, slots, sites), text = text_of(report);
  auto diverged = [&](const std::string& what) {
    return with_detail(fmt::format("the replay differs from the recording in {}: {}", place, what), text) +
           kDivergedRemedy;
  };
  switch (static_cast<ReportKind>(report.kind)) {
    case ReportKind::kNone:
      return "";
    case ReportKind::kUnsupportedSyscall:
      return fmt::format("the program made a system call that cannot be recorded: {} (number {}), {} {:#x} in {}; {}",
                         syscall_name(report.a), report.a, text.empty() ? "called from" : text, report.b, place,
                         syscall_hint(report.a));
    case ReportKind::kUnsupportedFeature:
      return fmt::format("the program needs something that cannot be recorded: {} ({})", text, place);
    case ReportKind::kDivergedValue:
      return diverged(fmt::format("the program wants {}, the recording has {}",
                                  op_name(static_cast<uint32_t>(report.a)),
                                  report.b == 0xffffffffu ? "nothing more" : op_name(static_cast<uint32_t>(report.b))));
    case ReportKind::kDivergedCount:
      return diverged(fmt::format("the recording has the same at event {}", report.a));
    case ReportKind::kDivergedOrder:
      return diverged(fmt::format("it has passed event {} at {}, where it had to wait for another thread", report.a,
                                  sites.describe(report.b)));
    case ReportKind::kDivergedAccess:
      return diverged("one of its latest accesses to memory is not what was recorded");
    case ReportKind::kDivergedOutput:
      return diverged(fmt::format("what it hands to {} is not what was recorded", syscall_name(report.a)));
    case ReportKind::kLeftover:
      return diverged(
          fmt::format("the thread ended with {} waits and {} values of the recording left", report.a, report.b));
    case ReportKind::kFileChanged:
      return fmt::format("{} has changed since the recording; put the old one back, or record again", text);
    case ReportKind::kKeptChanged:
      return with_detail(fmt::format("file {} of those that the recording keeps is not at byte {} what {} had read; "
                                     "restore the trace, or record again", report.a, report.b, place),
                         text);
    case ReportKind::kCannotStart:
      return report.a != 0
                 ? fmt::format("the program cannot be started: {}: {}", text, strerror(static_cast<int>(report.a)))
                 : fmt::format("the program cannot be started: {}", text);
    case ReportKind::kStuck:
      return with_detail(fmt::format("the replay is stuck in {}: it waits for slot {} to pass its publication {}",
                                     place, report.a, report.b),
                         text) +
             "\n" + describe_slots(slots, sites);
    case ReportKind::kNotFollowed: {
      const ProgramFiles::File* file = sites.files().find(report.site);
      std::string library = file ? file->path : "a library of the program's own";
      return with_detail(fmt::format("every access is needed, and those of {} are not known: it has code that was built without "
                                     "--every-access and cannot be followed ({}); build it with --every-access, or, if the "
                                     "trace is of an older version, record again (`anaphora replay` needs nothing of this)",
                                     library, place),
                         text);
    }
    case ReportKind::kSizeReached:
      return with_detail(fmt::format("the trace had reached {} (--max-size), so the program was stopped",
                                     human_bytes(report.a)),
                         text);
    case ReportKind::kTimeReached:
      return with_detail(fmt::format("the program had not ended after {} (--timeout), so it was ended",
                                     human_seconds(static_cast<double>(report.a))),
                         text);
  }
  return with_detail(fmt::format("the program was stopped for a reason that this version does not know ({}), in {}",
                                 report.kind, place),
                     text);
}

std::string describe_slots(const std::vector<SlotSummary>& slots, SiteResolver& sites) {
  std::string text = "  The threads stand here:";
  for (const SlotSummary& slot : slots) {
    SlotState state = static_cast<SlotState>(slot.status.state);
    text += fmt::format("\n  slot {:<3} thread {:<3} event {:<12} {}", slot.slot, slot.status.ordinal, slot.count,
                        name_of(state));
    if (state == SlotState::kWaiting) text += " at " + sites.describe(slot.status.wait_site);
  }
  return text;
}

std::string describe_end(const ProgramEnd& end) {
  if (end.signal == 0) return fmt::format("exit status {}", end.status);
  const char* name = strsignal(end.signal);
  return fmt::format("signal {} ({})", end.signal, name == nullptr ? "unknown" : name);
}

}  // namespace ana
