#include "cli/thread_races.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "analysis/byte_trial.h"
#include "analysis/release_watch.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/race_reports.h"
#include "cli/race_stacks.h"
#include "runtime/layout.h"

namespace ana {

namespace {

using races::Access;
using races::Race;
using races::kLineBytes;
using races::RaceDetector;
using races::RecordedEdge;

RaceDetector::Range stack_of(uint32_t slot) {
  uint64_t first = layout::kThreadStacks + slot * layout::kThreadStackStride;
  return {first, first + layout::kThreadStackStride - 1};
}

Result<std::vector<std::vector<RecordedEdge>>> edges_of(const TraceReader& reader) {
  std::vector<std::vector<RecordedEdge>> out(std::max(reader.slots(), 1u));
  for (uint32_t slot = 0; slot < reader.slots(); slot++) {
    StreamCursor cursor = reader.stream(slot);
    for (;;) {
      auto action = cursor.next();
      if (!action) return action.error();
      if (!*action) break;
      if (auto* edge = std::get_if<Edge>(&**action)) out[slot].push_back({edge->count, edge->source, edge->source_count});
    }
  }
  return out;
}

// But for the races.
ThreadRaces result_of(const RaceDetector& detector) {
  ThreadRaces out;
  out.threads = detector.threads();
  out.accesses = detector.accesses();
  out.ordered_edges = detector.ordered_edges();
  out.unordered_edges = detector.unordered_edges();
  return out;
}

std::vector<StepPlace> places_of(const RaceDetector& detector) {
  std::vector<StepPlace> places;
  for (auto [first, last] : detector.racy_bytes()) places.push_back({first, last});
  return places;
}

// What a reader would take for the same access.
auto look_of(const Access& access, MemoryNames& names) {
  const SourcePlace& place = names.place(access.site);
  uint64_t site = place.file.empty() ? access.site : 0;
  return std::make_tuple(place.file, place.line, place.function, site, access.kind);
}

// Where a block was allocated, with the lines of what an allocating function was inlined into: containers have it in one.
std::string origin_of(const std::optional<races::Block>& block, const MemoryNames& names) {
  std::string out;
  if (!block) return out;
  for (const SourcePlace& frame : names.frames(block->caller - 1)) out += fmt::format("{}:{} ", frame.file, frame.line);
  return out;
}

// What a reader would take for the same race: of the same variable, or of blocks from the same lines.
auto look_of(const Race& race, MemoryNames& names) {
  auto one = look_of(race.first, names), other = look_of(race.second, names);
  if (other < one) std::swap(one, other);
  std::string origin = origin_of(race.block, names);
  return std::make_tuple(one, other, origin.empty() ? race.object : 0, origin);
}

}  // namespace

namespace {

using Once = TranslationWishes::Once;
using races::ByteTrial;
using races::KnownOrder;

// A library that cannot be followed: checks are taken for accesses first. They claim all that is accessed, and more, so what
// does not race then does not race at all. Only the rest is followed, by instructions.
Result<ThreadRaces> find_by_claims(ToldReplay& replay, std::vector<std::vector<RecordedEdge>> edges) {
  RaceDetector first(std::move(edges), stack_of);
  if (Status s = replay.run(Telling::kClaims, first, "looking for races"); !s) return s.error();
  ThreadRaces out = result_of(first);
  std::vector<StepPlace> places = places_of(first);
  if (places.empty()) return out;
  RaceDetector second({}, stack_of);
  second.tell_apart(replay.variables());
  if (Status s = replay.run_stepping(second, "looking closer", places); !s) return s.error();
  out.found = second.races();
  return out;
}

std::vector<uint64_t> ends_of(const ToldReplay& replay) {
  std::vector<uint64_t> ends;
  for (const SlotSummary& slot : replay.reader().manifest().slots) ends.push_back(slot.count);
  return ends;
}

// What synchronisation means to whom, for the replays that follow.
Result<KnownOrder> watch_synchronisation(ToldReplay& replay) {
  races::ReleaseWatch watch(stack_of);
  TranslationWishes wishes{.once = Once::kBytes, .only_ordering = true};
  if (Status s = replay.run(Telling::kSynchronisation, watch, "looking at synchronisation", wishes); !s) return s.error();
  return watch.order();
}

std::vector<std::vector<uint32_t>> entries_of(const KnownOrder* order) {
  return order ? order->entries() : std::vector<std::vector<uint32_t>>();
}

// First by lines, which may race only more often than their bytes do; then by bytes, of the lines that may race alone.
Result<ThreadRaces> find_by_lines(ToldReplay& replay, std::vector<std::vector<RecordedEdge>> edges, const KnownOrder* order) {
  auto first = std::make_unique<RaceDetector>(edges, stack_of, RaceDetector::Unit::line);
  if (order) first->follow(*order);
  auto trial = order ? nullptr : std::make_unique<ByteTrial>(*first, ends_of(replay), false, true);
  ToldSink& sink = trial ? static_cast<ToldSink&>(*trial) : *first;
  Status told = replay.run(Telling::kSynchronisation, sink, "looking for races",
                           {.once = Once::kLines, .order = entries_of(order)});
  if (!told) return told.error();
  bool wants_order = trial && trial->wants_order();
  trial.reset();  // it is large
  if (wants_order) {
    first.reset();
    auto known = watch_synchronisation(replay);
    return known ? find_by_lines(replay, std::move(edges), &*known) : known.error();
  }
  ThreadRaces out = result_of(*first);
  TranslationWishes wishes{.once = Once::kBytes, .order = entries_of(order)};
  for (auto [from, to] : first->racy_bytes())
    for (uint64_t line = from / kLineBytes; line <= to / kLineBytes; line++) wishes.lines.push_back(line);
  if (wishes.lines.empty()) return out;
  first.reset();  // it is large
  RaceDetector second({}, stack_of);
  second.tell_apart(replay.variables());
  second.look_only_at(wishes.lines);
  if (order) second.follow(*order);
  if (Status s = replay.run(Telling::kSynchronisation, second, "looking closer", wishes); !s) return s.error();
  out.found = second.races();
  return out;
}

// By bytes at once, unless they are many more than their lines. `order`: null if it is not known yet.
Result<ThreadRaces> find_in_code(ToldReplay& replay, std::vector<std::vector<RecordedEdge>> edges,
                                 const KnownOrder* order = nullptr) {
  auto detector = std::make_unique<RaceDetector>(edges, stack_of);
  detector->tell_apart(replay.variables());
  if (order) detector->follow(*order);
  auto trial = std::make_unique<ByteTrial>(*detector, ends_of(replay), order != nullptr);
  Status told = replay.run(Telling::kSynchronisation, *trial, "looking for races",
                           {.once = Once::kBytes, .order = entries_of(order)});
  if (!told) return told.error();
  if (trial->has_enough()) {
    bool wants_order = trial->wants_order();
    trial.reset();  // they are large
    detector.reset();
    if (!wants_order) return find_by_lines(replay, std::move(edges), order);
    auto known = watch_synchronisation(replay);
    return known ? find_in_code(replay, std::move(edges), &*known) : known.error();
  }
  ThreadRaces out = result_of(*detector);
  out.found = detector->races();
  return out;
}

Result<ThreadRaces> find_at_once(ToldReplay& replay, std::vector<std::vector<RecordedEdge>> edges) {
  RaceDetector detector(std::move(edges), stack_of);
  detector.tell_apart(replay.variables());
  if (Status s = replay.run(Telling::kSynchronisation, detector, "looking for races"); !s) return s.error();
  ThreadRaces out = result_of(detector);
  out.found = detector.races();
  return out;
}

}  // namespace

Result<ThreadRaces> find_thread_races(ToldReplay& replay) {
  auto edges = edges_of(replay.reader());
  if (!edges) return edges.error();
  Result<ThreadRaces> out =
      replay.every_access() ? find_at_once(replay, *edges) : find_in_code(replay, *edges);
  // In whichever of the replays: a program may load it late.
  if (!out && replay.met_library()) out = find_by_claims(replay, std::move(*edges));
  if (out) out->trace = replay.reader().directory();
  return out;
}

void reduce_races(ThreadRaces& races, MemoryNames& names, const Suppressions& suppressions) {
  // In the order in which they happened to the second thread, for a reader who wants the same list again.
  std::sort(races.found.begin(), races.found.end(), [](const Race& a, const Race& b) {
    return std::tie(a.second.slot, a.second.count, a.address, a.first.count) <
           std::tie(b.second.slot, b.second.count, b.address, b.first.count);
  });
  std::map<decltype(look_of(Race(), names)), size_t> seen;
  std::vector<Race> kept;
  for (const Race& race : races.found) {
    std::vector<std::string> said = {names.variable(race.address)};
    for (const Access* access : {&race.first, &race.second}) {
      said.push_back(names.place(access->site).function);
      said.push_back(names.place(access->site).file);
    }
    if (suppressions.match(said)) {
      races.suppressed++;
      continue;
    }
    auto [at, added] = seen.try_emplace(look_of(race, names), kept.size());
    if (added) kept.push_back(race);
    else kept[at->second].times += race.times;
  }
  races.found = std::move(kept);
}

int show_thread_races(const std::string& path, const RacesOptions& options) {
  Suppressions suppressions;
  if (!options.suppressions.empty()) {
    auto read = Suppressions::read(options.suppressions);
    if (!read) return fail(read.error(), kExitFailed);
    suppressions = std::move(*read);
  }
  auto replay = ToldReplay::open(path, options.timeout);
  if (!replay) return fail(replay.error(), kExitFailed);
  auto races = find_thread_races(*replay);
  if (!races) return fail(races.error(), kExitFailed);
  MemoryNames names(replay->reader());
  reduce_races(*races, names, suppressions);
  add_stacks(*replay, *races);
  races->runs = replay->runs();
  if (!options.sarif.empty()) {
    if (Status s = write_sarif(options.sarif, *races, names); !s) return fail(s.error(), kExitFailed);
  }
  if (options.json) print_json(races_json(*races, names));
  else print_races(*races, names);
  return races->found.empty() ? 0 : kExitRaces;
}

}  // namespace ana
