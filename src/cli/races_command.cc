// anaphora races [trace]: data races of threads; of MPI jobs the places that receive from any source, and which of them
// raced.
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/source_lines.h"
#include "cli/thread_races.h"
#include "mpi/calls.h"
#include "trace/mpi_manifest.h"
#include "trace/trace_directory.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

struct Place {
  uint32_t rank;
  RankSite site;
  std::string where;
};

constexpr uint32_t kLastSource = 63;  // stands for all ranks from there on

std::string list_of(uint64_t sources) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i <= kLastSource; i++) {
    if ((sources >> i & 1) != 0) names.push_back(i == kLastSource ? "63 or above" : std::to_string(i));
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

Result<std::vector<Place>> find_places(const std::string& trace, RankMode& mode) {
  auto directory = open_trace_directory(trace);
  if (!directory) return directory.error();
  auto manifest = read_mpi_manifest(directory->get());
  if (!manifest) return Error{trace + ": " + manifest.error().text};
  std::vector<Place> places;
  for (uint32_t i = 0; i < manifest->ranks; i++) {
    auto rank = read_rank(directory->get(), i);
    if (!rank) return Error{trace + ": " + rank.error().text};
    mode = rank->options.mode;
    for (const RankSite& site : rank->sites) {
      std::string where = describe_address(site.module, site.offset);
      places.push_back({i, site, where.empty() ? "an unknown place" : where});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(b.site.raced, a.rank) < std::tie(a.site.raced, b.rank);
  });
  return places;
}

// `knows`: the job was recorded with timestamps, so that 0 means that nothing raced.
nlohmann::json to_json(const Place& place, bool knows) {
  auto ranks = [](uint64_t bits) {
    nlohmann::json out = nlohmann::json::array();
    for (uint32_t i = 0; i <= kLastSource; i++) {
      if ((bits >> i & 1) != 0) out.push_back(i);
    }
    return out;
  };
  return {{"rank", place.rank},
          {"call", mpi::name_of(static_cast<mpi::Call>(place.site.call))},
          {"place", place.where},
          {"receives", place.site.receives},
          {"raced", knows ? nlohmann::json(place.site.raced) : nlohmann::json()},
          {"sources", ranks(place.site.sources)},
          {"racing", ranks(place.site.racing)}};
}

int show_messages(const std::string& path, bool json) {
  RankMode mode = RankMode::kWildcard;
  auto places = find_places(path, mode);
  if (!places) return fail(places.error(), kExitFailed);
  bool knows = mode == RankMode::kRacing;
  if (json) {
    nlohmann::json out = {{"trace", path}, {"mode", name_of(mode)}, {"places", nlohmann::json::array()}};
    for (const Place& place : *places) out["places"].push_back(to_json(place, knows));
    print_json(out);
    return 0;
  }
  if (places->empty()) {
    fmt::print("No rank received from MPI_ANY_SOURCE: the order of the messages cannot vary.\n");
    return 0;
  }
  if (!knows) {
    fmt::print("Recorded in mode {}, which does not tell races from other receives: record with --messages=racing.\n",
               name_of(mode));
  }
  for (const Place& place : *places) {
    const RankSite& s = place.site;
    fmt::print("rank {}: {} at {}: {} receives from any source", place.rank,
               mpi::name_of(static_cast<mpi::Call>(s.call)), place.where, human_count(s.receives));
    if (knows) fmt::print(", {} raced", human_count(s.raced));
    fmt::print("\n  from ranks {}", list_of(s.sources));
    if (knows && s.raced > 0) fmt::print("; racing messages from {}", list_of(s.racing));
    fmt::print("\n");
  }
  return 0;
}

int run(const RacesOptions& options) {
  auto path = find_trace(options.trace);
  if (!path) return fail(path.error(), kExitFailed);
  if (!is_mpi_trace(*path)) return show_thread_races(*path, options);
  if (!options.suppressions.empty() || !options.sarif.empty())
    return fail({*path + " is the recording of an MPI job: --suppressions and --sarif are about data races of threads"},
                kExitUsage);
  return show_messages(*path, options.json);
}

}  // namespace

Command add_races(CLI::App& root) {
  CLI::App* app = root.add_subcommand("races", "Data races of threads; which receives of an MPI job raced");
  auto options = std::make_shared<RacesOptions>();
  app->add_option("trace", options->trace, "The trace (default: the latest)")->type_name("TRACE");
  app->add_option("--suppressions", options->suppressions,
                  "A file of races to leave out: lines `race:PATTERN` for functions, files or variables")
      ->type_name("FILE");
  app->add_option("--sarif", options->sarif, "Also write the races to FILE, as SARIF 2.1.0")->type_name("FILE");
  add_timeout(*app, options->timeout);
  app->add_flag("--json", options->json, "As JSON");
  return {app, [options] { return run(*options); }};
}

}  // namespace ana
