#include "trace/manifest.h"

#include <fmt/format.h>
#include <string.h>
#include <xxhash.h>

#include <array>

#include "algorithms/catalogue.h"
#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

using nlohmann::json;

namespace {

constexpr uint64_t kMaxManifestBytes = 16 << 20;
constexpr int kMaxDepth = 8;
constexpr const char* kFormatName = "anaphora-trace";

// Fields of SlotStatus that are plain counters, under the name that they have in the file.
struct Counter {
  const char* name;
  uint64_t SlotStatus::*field;
};
constexpr Counter kCounters[] = {
    {"ordinal", &SlotStatus::ordinal},
    {"wait_site", &SlotStatus::wait_site},
    {"slow_checks", &SlotStatus::slow_checks},
    {"acquired", &SlotStatus::acquired},
    {"dependences", &SlotStatus::dependences},
    {"edges", &SlotStatus::edges},
    {"yields", &SlotStatus::yields},
    {"epochs", &SlotStatus::epochs},
    {"waits", &SlotStatus::waits},
    {"values", &SlotStatus::values},
};

constexpr std::array<const char*, 3> kTraceStates = {"recording", "complete", "program died"};
constexpr std::array kSlotStates = {"unused", "running", "blocked", "waiting", "ended", "parked", "crashed"};
static_assert(kSlotStates.size() == static_cast<size_t>(SlotState::kCrashed) + 1);
constexpr std::array kReportKinds = {"none",           "unsupported-syscall", "unsupported-feature", "diverged-value",
                                     "diverged-count", "diverged-order",      "diverged-output",     "leftover",
                                     "file-changed",   "cannot-start",        "diverged-access",     "stuck",
                                     "kept-changed",   "size-reached",        "time-reached",       "not-followed"};
static_assert(kReportKinds.size() == static_cast<size_t>(ReportKind::kNotFollowed) + 1);

json report_to_json(const Report& report) {
  std::string text(report.text, strnlen(report.text, sizeof report.text));
  return {{"kind", report.kind}, {"name", name_of(static_cast<ReportKind>(report.kind))},
          {"slot", report.slot}, {"count", report.count},
          {"site", report.site}, {"a", report.a},
          {"b", report.b},       {"text", text}};
}

Report report_from_json(const json& in) {
  Report report{};
  report.kind = in.at("kind").get<uint32_t>();
  report.slot = in.at("slot").get<uint32_t>();
  report.count = in.at("count").get<uint64_t>();
  report.site = in.at("site").get<uint64_t>();
  report.a = in.at("a").get<uint64_t>();
  report.b = in.at("b").get<uint64_t>();
  std::string text = in.at("text").get<std::string>();
  memcpy(report.text, text.data(), std::min(text.size(), sizeof report.text - 1));
  return report;
}

}  // namespace

json end_to_json(const ProgramEnd& end) {
  json out = {{"status", end.status},
              {"signal", end.signal},
              {"wall_seconds", end.wall_seconds},
              {"user_seconds", end.user_seconds},
              {"system_seconds", end.system_seconds},
              {"max_rss_kib", end.max_rss_kib},
              {"threads_created", end.threads_created},
              {"processes_created", end.processes_created},
              {"executed", end.executed}};
  if (end.report) out["report"] = report_to_json(*end.report);
  return out;
}

ProgramEnd end_from_json(const json& in) {
  ProgramEnd end;
  end.status = in.at("status").get<int>();
  end.signal = in.at("signal").get<int>();
  end.wall_seconds = in.at("wall_seconds").get<double>();
  end.user_seconds = in.at("user_seconds").get<double>();
  end.system_seconds = in.at("system_seconds").get<double>();
  end.max_rss_kib = in.at("max_rss_kib").get<uint64_t>();
  end.threads_created = in.at("threads_created").get<uint64_t>();
  end.processes_created = in.at("processes_created").get<uint64_t>();
  end.executed = in.at("executed").get<bool>();
  if (in.contains("report")) end.report = report_from_json(in.at("report"));
  return end;
}

namespace {

json slot_to_json(const SlotSummary& slot) {
  json out = {{"slot", slot.slot},
              {"count", slot.count},
              {"raw_bytes", slot.raw_bytes},
              {"state", slot.status.state},
              {"tid", slot.status.tid}};
  for (const Counter& c : kCounters) out[c.name] = slot.status.*c.field;
  out["transitions"] = slot.status.transitions;
  return out;
}

SlotSummary slot_from_json(const json& in) {
  SlotSummary slot;
  slot.slot = in.at("slot").get<uint32_t>();
  slot.count = in.at("count").get<uint64_t>();
  slot.raw_bytes = in.at("raw_bytes").get<uint64_t>();
  slot.status.state = in.at("state").get<uint32_t>();
  slot.status.tid = in.at("tid").get<uint32_t>();
  for (const Counter& c : kCounters) slot.status.*c.field = in.at(c.name).get<uint64_t>();
  // Recordings made before they were counted have none.
  auto transitions = in.value("transitions", std::vector<uint64_t>());
  if (transitions.size() == std::size(slot.status.transitions))
    std::copy(transitions.begin(), transitions.end(), slot.status.transitions);
  return slot;
}

json tuning_to_json(const RecordTuning& tuning) {
  return {{"tenure_ns", tuning.tenure_ns},
          {"yield_at_checks", tuning.yield_at_checks},
          {"full_check", tuning.full_check},
          {"no_patch", tuning.no_patch},
          {"chaos", tuning.chaos},
          {"algorithm", tuning.algorithm},
          {"granularity", tuning.granularity},
          {"max_threads", tuning.max_threads},
          {"first_epoch", tuning.first_epoch}};
}

RecordTuning tuning_from_json(const json& in) {
  RecordTuning tuning;
  tuning.tenure_ns = in.at("tenure_ns").get<uint32_t>();
  tuning.yield_at_checks = in.at("yield_at_checks").get<uint32_t>();
  tuning.full_check = in.at("full_check").get<bool>();
  tuning.chaos = in.value("chaos", tuning.chaos);
  tuning.no_patch = in.value("no_patch", tuning.no_patch);
  tuning.algorithm = in.value("algorithm", tuning.algorithm);
  tuning.granularity = in.value("granularity", tuning.granularity);
  tuning.max_threads = in.value("max_threads", tuning.max_threads);
  tuning.first_epoch = in.at("first_epoch").get<uint32_t>();
  return tuning;
}

json origin_to_json(const ForkOrigin& origin) {
  json points = json::array();
  for (const ForkPoint& p : origin.points)
    points.push_back({{"logged", p.logged}, {"last_count", p.last_count}, {"count", p.count},
                      {"wait_site", p.wait_site}, {"state", p.state}, {"alive", p.alive != 0}});
  return {{"parent", origin.parent}, {"slot", origin.slot}, {"points", points}};
}

// Nothing but a neighbour, or the trace in whose directory `children` this one lies.
bool is_parent_path(const std::string& path) {
  if (path == "../..") return true;
  std::string name = path.starts_with("../") ? path.substr(3) : "";
  return !name.empty() && name[0] != '-' && name.find_first_not_of("0123456789-") == std::string::npos;
}

Result<ForkOrigin> origin_from_json(const json& in) {
  ForkOrigin origin{in.at("parent").get<std::string>(), in.at("slot").get<uint32_t>(), {}};
  for (const json& p : in.at("points"))
    origin.points.push_back({p.at("logged").get<uint64_t>(), p.at("last_count").get<uint64_t>(),
                             p.at("count").get<uint64_t>(), p.at("wait_site").get<uint64_t>(),
                             p.at("state").get<uint32_t>(), p.at("alive").get<bool>()});
  if (!is_parent_path(origin.parent) || origin.points.size() > kMaxSlots || origin.slot >= origin.points.size())
    return Error{"what it says of the fork cannot be true"};
  return origin;
}

constexpr int kOneLine = -1;

std::string dump(const json& value, int indentation) {
  // Arguments and paths need not be UTF-8; a replacement character is better than no manifest.
  return value.dump(indentation, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string checksum_of(const json& without_checksum) {
  std::string text = dump(without_checksum, 1);
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), kTraceFormat));
}

namespace {

Result<TraceState> parse_state(const std::string& name) {
  for (size_t i = 0; i < kTraceStates.size(); i++) {
    if (name == kTraceStates[i]) return static_cast<TraceState>(i);
  }
  return Error{"its state is unknown"};
}

Status check_format(const json& in) {
  const json& format = in.at("format");
  if (format.at("name") != kFormatName) return Error{"it is not the manifest of a trace"};
  uint32_t version = format.at("version").get<uint32_t>(), streams = format.at("streams").get<uint32_t>();
  if (version != kTraceFormat || streams != kStreamVersion) {
    return Error{
        fmt::format("the trace has format {}.{}, made by version {}; this is version {} and reads format {}.{}: "
                    "use the version that recorded it",
                    version, streams, in.at("tool").get<std::string>(), kToolVersion, kTraceFormat, kStreamVersion)};
  }
  return {};
}

Result<Manifest> from_json(const json& in) {
  Manifest m;
  auto state = parse_state(in.at("state").get<std::string>());
  if (!state) return state.error();
  m.state = *state;
  m.tool_version = in.at("tool").get<std::string>();
  m.command = in.at("command").get<std::vector<std::string>>();
  m.cwd = in.at("cwd").get<std::string>();
  const json& program = in.at("program");
  m.program = {program.at("path").get<std::string>(), program.at("build_id").get<std::string>(),
               program.at("bytes").get<uint64_t>()};
  const json& machine = in.at("machine");
  m.machine = {machine.at("cpu").get<std::string>(), machine.at("features").get<std::vector<std::string>>(),
               machine.at("kernel").get<std::string>(), machine.at("cores").get<uint32_t>()};
  m.started = in.at("started").get<std::string>();
  m.tuning = tuning_from_json(in.at("options"));
  if (in.contains("forked")) {
    auto origin = origin_from_json(in.at("forked"));
    if (!origin) return origin.error();
    m.forked = *origin;
  }
  if (m.state == TraceState::kRecording) return m;
  m.end = end_from_json(in.at("end"));
  const json& streams = in.at("streams");
  m.totals = {streams.at("chunks").get<uint64_t>(), streams.at("raw_bytes").get<uint64_t>(),
              streams.at("file_bytes").get<uint64_t>()};
  for (const json& slot : in.at("slots")) m.slots.push_back(slot_from_json(slot));
  for (const json& copy : in.at("kept")) {
    m.kept.push_back({copy.at("number").get<uint32_t>(), copy.at("first").get<uint64_t>(),
                      copy.at("end").get<uint64_t>(), copy.at("hash").get<std::string>()});
  }
  return m;
}

}  // namespace

const char* name_of(TraceState state) { return kTraceStates[static_cast<size_t>(state)]; }

const char* name_of(SlotState state) {
  size_t i = static_cast<size_t>(state);
  return i < kSlotStates.size() ? kSlotStates[i] : "unknown";
}

const char* name_of(ReportKind kind) {
  size_t i = static_cast<size_t>(kind);
  return i < kReportKinds.size() ? kReportKinds[i] : "unknown";
}

json to_json(const Manifest& m) {
  json out = {
      {"format", {{"name", kFormatName}, {"version", kTraceFormat}, {"streams", kStreamVersion}}},
      {"tool", m.tool_version},
      {"state", name_of(m.state)},
      {"command", m.command},
      {"cwd", m.cwd},
      {"program", {{"path", m.program.path}, {"build_id", m.program.build_id}, {"bytes", m.program.bytes}}},
      {"machine",
       {{"cpu", m.machine.cpu},
        {"features", m.machine.features},
        {"kernel", m.machine.kernel},
        {"cores", m.machine.cores}}},
      {"started", m.started},
      {"options", tuning_to_json(m.tuning)},
  };
  if (m.forked) out["forked"] = origin_to_json(*m.forked);
  if (!m.end) return out;
  out["end"] = end_to_json(*m.end);
  out["streams"] = {
      {"chunks", m.totals.chunks}, {"raw_bytes", m.totals.raw_bytes}, {"file_bytes", m.totals.file_bytes}};
  out["slots"] = json::array();
  for (const SlotSummary& slot : m.slots) out["slots"].push_back(slot_to_json(slot));
  out["kept"] = json::array();
  for (const KeptCopy& copy : m.kept)
    out["kept"].push_back({{"number", copy.number}, {"first", copy.first}, {"end", copy.end}, {"hash", copy.hash}});
  return out;
}

std::string format_manifest(const Manifest& manifest) {
  // Parsed back first, so that the sum is over what a reader will see where bytes had to be replaced.
  json out = json::parse(dump(to_json(manifest), kOneLine));
  out["checksum"] = checksum_of(out);
  return dump(out, kOneLine) + "\n";
}

Result<Manifest> parse_manifest(const std::string& text) try {
  bool too_deep = false;
  auto limit_depth = [&](int depth, json::parse_event_t, json&) {
    too_deep |= depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  json in = json::parse(text, limit_depth);
  if (too_deep) return Error{"manifest.json is damaged: it is nested too deeply"};
  if (!in.is_object()) return Error{"manifest.json is damaged: it is not an object"};
  // First, so that a trace of another version is called that and not damaged.
  if (Status s = check_format(in); !s) return Error{"manifest.json: " + s.error().text};
  std::string stored = in.at("checksum").get<std::string>();
  in.erase("checksum");
  if (stored != checksum_of(in)) {
    return Error{"manifest.json is damaged: its checksum is wrong, so it was changed after the recording"};
  }
  auto manifest = from_json(in);
  if (!manifest) return Error{"manifest.json: " + manifest.error().text};
  const std::string& algorithm = manifest->tuning.algorithm;
  if (!algorithms::find_algorithm(algorithm.c_str()))
    return Error{fmt::format("recorded with the algorithm '{}', which this version of Anaphora does not have", algorithm)};
  return manifest;
} catch (const json::exception& e) {
  return Error{fmt::format("manifest.json is damaged: {}", e.what())};
}

Status write_manifest(int directory, const Manifest& manifest) {
  return replace_file(directory, kManifestName, format_manifest(manifest));
}

Result<Manifest> read_manifest(int directory) {
  auto text = read_small_file(directory, kManifestName, kMaxManifestBytes);
  if (!text) return text.error();
  return parse_manifest(*text);
}

}  // namespace ana
