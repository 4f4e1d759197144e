// anaphora stats [trace]
#include <memory>
#include <span>

#include "algorithms/octet.h"
#include "cli/commands.h"
#include "cli/mpi_reports.h"
#include "cli/optimal_report.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "trace/mpi_manifest.h"
#include "trace/trace_reader.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

struct StatsArguments {
  std::string trace;
  bool slots = false;
  bool optimal = false;
  bool json = false;
};

struct Counted {
  const char* name;
  const char* title;
  uint64_t SlotStatus::*field;
};
constexpr Counted kCounted[] = {
    {"slow_checks", "slow checks", &SlotStatus::slow_checks},
    {"acquired", "lines granted", &SlotStatus::acquired},
    {"dependences", "dependences", &SlotStatus::dependences},
    {"edges", "edges logged", &SlotStatus::edges},
    {"values", "values logged", &SlotStatus::values},
    {"epochs", "epochs ended", &SlotStatus::epochs},
    {"yields", "yields", &SlotStatus::yields},
    {"waits", "waits", &SlotStatus::waits},
};

constexpr Counted kCountedOfAlgorithms[] = {
    {"references", "references", &SlotStatus::acquired},
    {"dependences", "dependences", &SlotStatus::dependences},
    {"edges", "edges logged", &SlotStatus::edges},
    {"values", "values logged", &SlotStatus::values},
};

std::span<const Counted> counted(const Manifest& manifest) {
  if (manifest.tuning.algorithm == "ownership") return kCounted;
  return kCountedOfAlgorithms;
}

uint64_t sum_of(const std::vector<SlotSummary>& slots, uint64_t SlotStatus::*field) {
  uint64_t sum = 0;
  for (const SlotSummary& slot : slots) sum += slot.status.*field;
  return sum;
}

// What octet counts, by name.
nlohmann::ordered_json transitions_of(const std::vector<SlotSummary>& slots) {
  nlohmann::ordered_json out;
  for (size_t i = 0; i < algorithms::kTransitions; i++) {
    uint64_t sum = 0;
    for (const SlotSummary& slot : slots) sum += slot.status.transitions[i];
    out[algorithms::kTransitionNames[i]] = sum;
  }
  return out;
}

// A recording without an end has no counters; the streams know some of them.
Status count_streams(const TraceReader& reader, std::vector<SlotSummary>& slots) {
  ProgressLine line("reading");
  for (uint32_t i = 0; i < reader.slots(); i++) {
    SlotSummary slot;
    slot.slot = i;
    slot.raw_bytes = reader.raw_bytes(i);
    StreamCursor cursor = reader.stream(i);
    for (;;) {
      auto action = cursor.next();
      if (!action) return action.error();
      if (!*action) break;
      slot.count = count_of(**action);
      (std::holds_alternative<Edge>(**action) ? slot.status.edges : slot.status.values)++;
      line.update(cursor.offset(), slot.raw_bytes);
    }
    slots.push_back(slot);
  }
  return {};
}

nlohmann::json to_json(const TraceReader& reader, const std::vector<SlotSummary>& slots) {
  nlohmann::json out = to_json(reader.manifest());
  out["trace"] = reader.directory();
  out["raw_bytes"] = reader.raw_bytes();
  out["stored_bytes"] = reader.file_bytes();
  out["lost_bytes"] = reader.lost_bytes();
  nlohmann::json totals;
  uint64_t events = 0;
  for (const SlotSummary& slot : slots) events += slot.count;
  totals["events"] = events;
  for (const Counted& c : counted(reader.manifest())) totals[c.name] = sum_of(slots, c.field);
  if (reader.manifest().tuning.algorithm == "octet") totals["transitions"] = transitions_of(slots);
  out["totals"] = totals;
  return out;
}

void row(const char* title, const std::string& text) { fmt::print("{:<14} {}\n", title, text); }

void print_head(const TraceReader& reader) {
  const Manifest& m = reader.manifest();
  row("trace", reader.directory());
  row("program", fmt::format("{} ({})", m.program.path, m.program.build_id));
  row("command", fmt::format("{}", fmt::join(m.command, " ")));
  row("recorded", fmt::format("{} on {} cores of {}, {}", m.started, m.machine.cores, m.machine.cpu, m.machine.kernel));
  if (m.tuning.algorithm != "ownership")
    row("algorithm", fmt::format("{}, granules of {} bytes", m.tuning.algorithm, m.tuning.granularity));
  if (m.tuning.chaos != 0) row("chaos", fmt::format("seed {}", m.tuning.chaos));
  if (!m.end) {
    row("end", "none: the recorder was killed, or is still recording");
    return;
  }
  row("end", describe_end(*m.end));
  if (m.end->report) {
    SiteResolver sites(reader);
    row("stopped", describe_report(*m.end->report, m.slots, sites));
  }
  row("time", fmt::format("{} wall, {} CPU ({} user, {} system)", human_seconds(m.end->wall_seconds),
                          human_seconds(m.end->user_seconds + m.end->system_seconds),
                          human_seconds(m.end->user_seconds), human_seconds(m.end->system_seconds)));
  row("memory", human_bytes(m.end->max_rss_kib * 1024));
  row("threads", fmt::format("{} created, {} slots used", m.end->threads_created, m.slots.size()));
  if (m.end->processes_created != 0) row("processes", fmt::format("{} created, not recorded", m.end->processes_created));
}

void print_totals(const TraceReader& reader, const std::vector<SlotSummary>& slots) {
  uint64_t events = 0;
  for (const SlotSummary& slot : slots) events += slot.count;
  row("events", human_count(events));
  for (const Counted& c : counted(reader.manifest())) {
    uint64_t sum = sum_of(slots, c.field);
    if (reader.has_end() || sum != 0) row(c.title, human_count(sum));
  }
  if (reader.manifest().tuning.algorithm == "octet" && reader.has_end()) {
    std::string text;
    for (const auto& [name, count] : transitions_of(slots).items())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", human_count(count.get<uint64_t>()), name);
    row("transitions", text);
  }
  std::string size =
      fmt::format("{}, compressed to {}", human_bytes(reader.raw_bytes()), human_bytes(reader.file_bytes()));
  if (reader.has_end() && reader.manifest().end->wall_seconds > 0) {
    double rate = static_cast<double>(reader.file_bytes()) / reader.manifest().end->wall_seconds;
    size += fmt::format(" ({} per second)", human_bytes(static_cast<uint64_t>(rate)));
  }
  row("streams", size);
  if (reader.lost_bytes() > 0) row("lost", human_bytes(reader.lost_bytes()) + " at the end of the file are damaged");
}

void print_slots(const std::vector<SlotSummary>& slots) {
  fmt::print("\n{:>4} {:>7} {:<8} {:>14} {:>12} {:>12} {:>10} {:>10} {:>10} {:>10}\n", "slot", "thread", "state",
             "events", "slow checks", "dependences", "edges", "values", "waits", "bytes");
  for (const SlotSummary& slot : slots) {
    const SlotStatus& s = slot.status;
    fmt::print("{:>4} {:>7} {:<8} {:>14} {:>12} {:>12} {:>10} {:>10} {:>10} {:>10}\n", slot.slot, s.ordinal,
               name_of(static_cast<SlotState>(s.state)), slot.count, s.slow_checks, s.dependences, s.edges, s.values,
               s.waits, slot.raw_bytes);
  }
}

int run(const StatsArguments& options) {
  auto path = find_trace(options.trace);
  if (!path) return fail(path.error(), kExitFailed);
  if (is_mpi_trace(*path) && options.optimal) return optimal_mpi(*path, options.json);
  if (options.optimal)
    return fail({*path + " is not the recording of an MPI job: --optimal is about messages"}, kExitFailed);
  if (is_mpi_trace(*path)) return stats_mpi(*path, options.slots, options.json);
  auto reader = TraceReader::open(*path);
  if (!reader) return fail(reader.error(), kExitFailed);
  std::vector<SlotSummary> slots = reader->manifest().slots;
  if (!reader->has_end()) {
    if (Status s = count_streams(*reader, slots); !s) return fail(s.error(), kExitFailed);
  }
  if (options.json) {
    print_json(to_json(*reader, slots));
    return 0;
  }
  print_head(*reader);
  print_totals(*reader, slots);
  if (options.slots) print_slots(slots);
  return 0;
}

}  // namespace

Command add_stats(CLI::App& root) {
  CLI::App* app = root.add_subcommand("stats", "Figures about a trace");
  auto options = std::make_shared<StatsArguments>();
  app->add_option("trace", options->trace, "The trace (default: the latest)")->type_name("TRACE");
  app->add_flag("--slots,--ranks", options->slots, "Also a table of the slots, or of the ranks of an MPI job");
  app->add_flag("--optimal", options->optimal,
                "Of an MPI job recorded with --race-graph: the least that a trace can have, beside what this one has");
  app->add_flag("--json", options->json, "As JSON");
  return {app, [options] { return run(*options); }};
}

}  // namespace ana
