#include "cli/race_reports.h"

#include <errno.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/race_stacks.h"
#include "trace/version.h"

namespace ana {

namespace {

using races::Access;
using races::AccessKind;
using races::Race;

constexpr const char* kKinds[] = {"read", "write", "atomic read", "atomic write", "free"};
constexpr const char* kVerbs[] = {"reads", "writes", "reads atomically", "writes atomically", "frees"};

const char* kind_of(const Access& access) { return kKinds[static_cast<size_t>(access.kind)]; }
std::string event_of(const Access& access) { return fmt::format("{}:{}", access.slot, access.count); }
std::string site_text(const Access& access, MemoryNames& names) {
  return access.kind == AccessKind::free ? names.caller_text(access.site) : names.text(access.site);
}
const SourcePlace& place_of(const Access& access, MemoryNames& names) {
  return names.place(access.site - (access.kind == AccessKind::free));
}

// "counter, 4 bytes at 0x...", "40 bytes into a block of 64 bytes that thread 1 allocated at 1:7 in list.cc:12 (push)".
std::string variable_of(const Race& race, MemoryNames& names) {
  std::string name = names.variable(race.address);
  std::string bytes = fmt::format("{} byte{} at {:#x}", race.bytes, race.bytes == 1 ? "" : "s", race.address);
  if (race.block) {
    const races::Block& b = *race.block;
    return fmt::format("{}, {} into a block of {} that thread {} allocated at {}:{} in {}", bytes, race.address - b.address,
                       human_bytes(b.bytes), b.slot, b.slot, b.count, names.caller_text(b.caller));
  }
  return name.empty() ? bytes : fmt::format("{}, {}", name, bytes);
}

std::string values_of(const Access& access, const std::optional<uint64_t>& left) {
  if (!is_write(access.kind)) return access.has_value ? fmt::format(", value {}", access.value) : "";
  if (access.has_value && left) return fmt::format(", {} -> {}", access.value, *left);
  if (access.has_value) return fmt::format(", over {}", access.value);
  return left ? fmt::format(", value {}", *left) : "";
}

// The functions around an access, innermost first, with those that were inlined.
std::vector<SourcePlace> frames_of(const Access& access, const ThreadRaces& races, MemoryNames& names) {
  std::vector<SourcePlace> out;
  const std::vector<uint64_t>* calls = calls_of(access, races);
  if (!calls) return out;
  bool is_call = access.kind == AccessKind::free || !names.is_code(access.site);  // a call of the runtime stands for it
  if (!is_call) out = names.frames(access.site);
  for (uint64_t call : *calls) {
    for (SourcePlace& place : names.frames(call - 1)) out.push_back(std::move(place));
  }
  return out;
}

void print_frames(const std::vector<SourcePlace>& frames) {
  size_t number = 0;
  for (const SourcePlace& frame : frames)
    fmt::print("    #{} {}{}\n", number++, frame.function.empty() ? "?" : frame.function,
               frame.file.empty() ? "" : fmt::format(" at {}:{}", std::filesystem::path(frame.file).filename().string(),
                                                     frame.line));
}

nlohmann::json frames_json(const std::vector<SourcePlace>& frames) {
  nlohmann::json out = nlohmann::json::array();
  for (const SourcePlace& f : frames) out.push_back({{"function", f.function}, {"file", f.file}, {"line", f.line}});
  return out;
}

void print_access(const Access& access, const std::optional<uint64_t>& left, MemoryNames& names) {
  std::string what = access.kind == AccessKind::free ? "the block" : fmt::format("{} bytes", access.bytes);
  fmt::print("  thread {} at {} {} {} in {}{}\n", access.slot, event_of(access), kVerbs[static_cast<size_t>(access.kind)],
             what, site_text(access, names), values_of(access, left));
}

nlohmann::json access_json(const Access& access, const std::optional<uint64_t>& left, MemoryNames& names) {
  const SourcePlace& place = place_of(access, names);
  nlohmann::json out = {{"thread", access.slot},   {"event", event_of(access)},  {"kind", kind_of(access)},
                        {"bytes", access.bytes},   {"address", access.address},  {"file", place.file},
                        {"line", place.line},      {"function", place.function}, {"place", site_text(access, names)}};
  if (access.has_value) out["value_before"] = access.value;
  if (is_write(access.kind) && left) out["value_after"] = *left;
  return out;
}

std::string seek_command(const Race& race, const std::string& trace) {
  return fmt::format("anaphora replay -g {} {}", event_of(race.second), trace);
}

nlohmann::json place_json(const SourcePlace& place) {
  nlohmann::json out = nlohmann::json::object();
  if (!place.file.empty()) {
    bool absolute = std::filesystem::path(place.file).is_absolute();
    out["physicalLocation"] = {{"artifactLocation", {{"uri", (absolute ? "file://" : "") + place.file}}},
                               {"region", {{"startLine", std::max(place.line, 1u)}}}};
  }
  if (!place.function.empty()) out["logicalLocations"] = {{{"fullyQualifiedName", place.function}, {"kind", "function"}}};
  return out;
}

nlohmann::json message_json(const Access& access) {
  return {{"text", fmt::format("thread {} at {}: {}", access.slot, event_of(access), kind_of(access))}};
}

nlohmann::json location_json(const Access& access, MemoryNames& names) {
  nlohmann::json out = place_json(place_of(access, names));
  out["message"] = message_json(access);
  return out;
}

nlohmann::json stack_json(const Access& access, const ThreadRaces& races, MemoryNames& names) {
  nlohmann::json frames = nlohmann::json::array();
  for (const SourcePlace& frame : frames_of(access, races, names)) frames.push_back({{"location", place_json(frame)}});
  return {{"message", message_json(access)}, {"frames", frames}};
}

}  // namespace

void print_races(const ThreadRaces& races, MemoryNames& names) {
  size_t number = 0;
  for (const Race& race : races.found) {
    fmt::print("data race {}: {}\n", ++number, variable_of(race, names));
    print_access(race.first, race.first_left, names);
    print_frames(frames_of(race.first, races, names));
    print_access(race.second, race.second_left, names);
    print_frames(frames_of(race.second, races, names));
    fmt::print("  the recording has them in this order, which no synchronisation makes sure of; {}\n",
               race.times == 1 ? "once" : human_count(race.times) + " times");
    fmt::print("  seek {}\n\n", event_of(race.second));
  }
  fmt::print("{} data race{} among {} threads{}\n", races.found.size(), races.found.size() == 1 ? "" : "s", races.threads,
             races.suppressed ? fmt::format(", {} suppressed", races.suppressed) : "");
  fmt::print("{} frontier races recorded: {} between events that synchronisation orders, too, {} between others\n",
             human_count(races.ordered_edges + races.unordered_edges), human_count(races.ordered_edges),
             human_count(races.unordered_edges));
}

nlohmann::json races_json(const ThreadRaces& races, MemoryNames& names) {
  nlohmann::json out = {{"trace", races.trace},
                        {"threads", races.threads},
                        {"accesses", races.accesses},
                        {"suppressed", races.suppressed},
                        {"frontier_races", {{"synchronised", races.ordered_edges}, {"others", races.unordered_edges}}},
                        {"replays", nlohmann::json::array()},
                        {"races", nlohmann::json::array()}};
  for (const ToldReplay::Run& run : races.runs) out["replays"].push_back({{"for", run.title}, {"whole", run.whole}});
  for (const Race& race : races.found) {
    nlohmann::json one = {{"address", race.address},
                          {"bytes", race.bytes},
                          {"variable", names.variable(race.address)},
                          {"times", race.times},
                          {"seek", event_of(race.second)},
                          {"first", access_json(race.first, race.first_left, names)},
                          {"second", access_json(race.second, race.second_left, names)}};
    one["first"]["stack"] = frames_json(frames_of(race.first, races, names));
    one["second"]["stack"] = frames_json(frames_of(race.second, races, names));
    if (race.block) {
      const races::Block& b = *race.block;
      one["block"] = {{"address", b.address},
                      {"bytes", b.bytes},
                      {"thread", b.slot},
                      {"event", fmt::format("{}:{}", b.slot, b.count)},
                      {"place", names.caller_text(b.caller)}};
    }
    out["races"].push_back(one);
  }
  return out;
}

nlohmann::json races_sarif(const ThreadRaces& races, MemoryNames& names) {
  nlohmann::json results = nlohmann::json::array();
  for (const Race& race : races.found) {
    std::string text = fmt::format("Data race on {}: thread {} {} in {}, thread {} {} in {}.", variable_of(race, names),
                                   race.first.slot, kVerbs[static_cast<size_t>(race.first.kind)],
                                   site_text(race.first, names), race.second.slot,
                                   kVerbs[static_cast<size_t>(race.second.kind)], site_text(race.second, names));
    results.push_back({{"ruleId", "data-race"},
                       {"level", "error"},
                       {"message", {{"text", text}}},
                       {"locations", {location_json(race.second, names)}},
                       {"relatedLocations", {location_json(race.first, names)}},
                       {"stacks", {stack_json(race.second, races, names), stack_json(race.first, races, names)}},
                       {"occurrenceCount", race.times},
                       {"properties", {{"seek", event_of(race.second)}, {"replay", seek_command(race, races.trace)}}}});
  }
  nlohmann::json rule = {{"id", "data-race"},
                         {"shortDescription", {{"text", "Accesses of two threads that no synchronisation orders"}}}};
  nlohmann::json driver = {{"name", "anaphora"}, {"version", kToolVersion}, {"rules", {rule}}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", {{{"tool", {{"driver", driver}}}, {"results", results}}}}};
}

Status write_sarif(const std::string& path, const ThreadRaces& races, MemoryNames& names) {
  std::ofstream file(path);
  file << races_sarif(races, names).dump(2) << '\n';
  file.close();
  if (!file) return system_error("cannot write " + path, errno);
  return {};
}

}  // namespace ana
