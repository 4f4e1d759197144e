#include "analysis/race_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/matching.h"
#include "analysis/vertex_cover.h"

namespace ana {

namespace {

// About a second each.
constexpr uint64_t kCoverWork = 300'000'000;
constexpr uint64_t kMatchingWork = 300'000'000;

// No message from `at` on races with one before: the senders knew all receives before to be complete.
std::vector<size_t> find_cuts(std::span<const RaceVertex> vertices) {
  std::vector<uint64_t> least_known(vertices.size() + 1, ~uint64_t{0});
  for (size_t i = vertices.size(); i-- > 0;) least_known[i] = std::min(least_known[i + 1], vertices[i].known);
  std::vector<size_t> cuts;
  uint64_t last_serial = 0;
  for (size_t i = 0; i < vertices.size(); i++) {
    if (i > 0 && least_known[i] >= last_serial) cuts.push_back(i);
    last_serial = std::max(last_serial, vertices[i].serial);
  }
  cuts.push_back(vertices.size());
  return cuts;
}

void add_part(std::span<const RaceVertex> part, Optimum& out) {
  BitGraph graph = race_graph(part);
  uint64_t ends = 0;
  for (size_t v = 0; v < graph.vertices(); v++) {
    size_t degree = graph.degree(v);
    ends += degree;
    if (degree > 0) out.racing++;
  }
  out.races += ends / 2;
  if (ends == 0) return;
  Matching matching = find_matching(graph, kMatchingWork);
  Cover cover = find_cover(graph, kCoverWork);
  out.matching += matching.edges;
  out.largest = out.largest && matching.maximum;
  out.minimum += std::max(cover.at_least, matching.edges);
  out.exact = out.exact && cover.exact;
}

}  // namespace

Result<std::vector<RaceVertex>> read_race_facts(std::span<const uint8_t> bytes) {
  std::vector<RaceVertex> out;
  uint64_t order = 0, complete = 0;
  const uint8_t* end = bytes.data() + bytes.size();
  for (const uint8_t* at = bytes.data(); at < end;) {
    RaceVertex v;
    const uint8_t* next = get_race_fact(at, end, v.fact, order);
    if (next == nullptr || v.fact.unknown > complete)
      return Error{fmt::format("the facts of its race graph are damaged at byte {}", at - bytes.data())};
    v.known = complete - v.fact.unknown;
    if (v.fact.any_source) v.serial = ++complete;
    order = v.fact.order;
    out.push_back(v);
    at = next;
  }
  std::sort(out.begin(), out.end(),
            [](const RaceVertex& a, const RaceVertex& b) { return a.fact.order < b.fact.order; });
  return out;
}

bool race(const RaceVertex& earlier, const RaceVertex& later) {
  const RaceFact &a = earlier.fact, &b = later.fact;
  return a.any_source && a.communicator == b.communicator && (a.any_tag || a.tag == b.tag) && a.source != b.source &&
         earlier.serial > later.known;
}

BitGraph race_graph(std::span<const RaceVertex> vertices) {
  BitGraph graph(vertices.size());
  for (size_t j = 0; j < vertices.size(); j++) {
    for (size_t i = 0; i < j; i++) {
      if (race(vertices[i], vertices[j])) graph.add_edge(i, j);
    }
  }
  return graph;
}

Optimum find_optimum(std::span<const RaceVertex> vertices, size_t most) {
  Optimum out;
  out.messages = vertices.size();
  out.any_source = static_cast<uint64_t>(
      std::count_if(vertices.begin(), vertices.end(), [](const RaceVertex& v) { return v.fact.any_source; }));
  size_t begin = 0;
  for (size_t end : find_cuts(vertices)) {
    for (; end - begin > most; begin += most, out.exact = false) add_part(vertices.subspan(begin, most), out);
    add_part(vertices.subspan(begin, end - begin), out);
    begin = end;
  }
  return out;
}

}  // namespace ana
