#include "cli/optimal_report.h"

#include <algorithm>
#include <vector>

#include "analysis/race_graph.h"
#include "cli/commands.h"
#include "cli/mpi_reports.h"
#include "cli/output.h"
#include "trace/mpi_manifest.h"

namespace ana {

namespace {

struct Row {
  Optimum best;
  uint64_t probed = 0;  // probes of any source that found something: saved, and not in the graph
  uint64_t saved = 0;   // the rest of what is in the trace
  uint64_t rule = 0;    // what the paper's rule traces
  // The least is not known exactly: it is at most this, since both are enough.
  uint64_t at_most() const { return best.exact ? best.minimum : std::max(best.minimum, std::min(saved, rule)); }

  void add(const Row& other) {
    best.messages += other.best.messages;
    best.any_source += other.best.any_source;
    best.racing += other.best.racing;
    best.races += other.best.races;
    best.matching += other.best.matching;
    best.largest = best.largest && other.best.largest;
    best.minimum += other.best.minimum;
    best.exact = best.exact && other.best.exact;
    probed += other.probed;
    saved += other.saved;
    rule += other.rule;
  }
};

Result<Row> row_of(const RankTrace& rank) {
  Row row;
  for (const RankStream& stream : rank.streams) {
    if (stream.stream != kRaceFactStream) continue;
    auto vertices = read_race_facts(stream.bytes);
    if (!vertices) return Error{rank_file_name(rank.rank) + ": " + vertices.error().text};
    row.best = find_optimum(*vertices);
  }
  const RankCounts& counts = rank.counts;
  row.probed = counts.probed;
  row.saved = counts.traced - std::min(counts.traced, row.probed);
  row.rule = counts.raced;
  return row;
}

nlohmann::json to_json(const Row& row, uint64_t at_most) {
  return {{"messages", row.best.messages}, {"any_source", row.best.any_source}, {"racing", row.best.racing},
          {"races", row.best.races},       {"matching", row.best.matching},     {"minimum", row.best.minimum},
          {"minimum_at_most", at_most},    {"exact", row.best.exact},           {"saved", row.saved},
          {"paper", row.rule},             {"probed", row.probed},              {"matching_is_largest", row.best.largest}};
}

std::string percent(uint64_t n, uint64_t of) {
  if (of == 0) return n == 0 ? "-" : "";
  return fmt::format("{:.0f}%", 100.0 * static_cast<double>(n) / static_cast<double>(of));
}

void print(const std::string& name, const Row& row, uint64_t at_most) {
  const Optimum& best = row.best;
  std::string minimum =
      best.minimum == at_most ? fmt::format("{}", best.minimum) : fmt::format("{}..{}", best.minimum, at_most);
  std::string matching = fmt::format("{}{}", best.largest ? "" : ">=", best.matching);
  fmt::print("{:>5} {:>10} {:>11} {:>10} {:>10} {:>13} {:>10} {:>8} {:>10} {:>8}\n", name, best.messages,
             best.any_source, best.racing, matching, minimum, row.saved, percent(row.saved, best.minimum), row.rule,
             percent(row.rule, best.minimum));
}

}  // namespace

int optimal_mpi(const std::string& trace, bool json) {
  auto job = read_job(trace);
  if (!job) return fail(job.error(), kExitFailed);
  std::vector<Row> rows;
  Row total;
  uint64_t at_most = 0;
  for (const RankTrace& rank : job->ranks) {
    if (!rank.options.race_graph) {
      return fail({fmt::format("{} does not say which messages race with which: record it with --race-graph", trace)},
                  kExitFailed);
    }
    auto row = row_of(rank);
    if (!row) return fail({trace + ": " + row.error().text}, kExitFailed);
    total.add(*row);
    at_most += row->at_most();
    rows.push_back(*row);
  }
  if (json) {
    nlohmann::json out = {{"trace", trace}, {"totals", to_json(total, at_most)}, {"rank", nlohmann::json::array()}};
    for (const Row& row : rows) out["rank"].push_back(to_json(row, row.at_most()));
    print_json(out);
    return 0;
  }
  fmt::print("{:>5} {:>10} {:>11} {:>10} {:>10} {:>13} {:>10} {:>8} {:>10} {:>8}\n", "rank", "messages", "any source",
             "in races", "matching", "minimum", "saved", "", "paper", "");
  for (size_t i = 0; i < rows.size(); i++) print(fmt::format("{}", i), rows[i], rows[i].at_most());
  print("all", total, at_most);
  if (!total.best.exact) fmt::print("Where two numbers are given, the graph is too large to find the minimum.\n");
  if (total.probed > 0)
    fmt::print("{} probes of any source were saved besides; they are not in the graph.\n", total.probed);
  return 0;
}

}  // namespace ana
