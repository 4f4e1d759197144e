#include "analysis/vertex_cover.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace ana {

namespace {

// The sets of vertices that the choices so far rule out, words `first` and up of each, with the weight left out.
struct Frontier {
  size_t first = 0, stride = 0;
  std::vector<uint64_t> sets;
  std::vector<uint64_t> weights;

  std::span<const uint64_t> set(size_t i) const { return {sets.data() + i * stride, stride}; }
};

struct Distinct {
  const Frontier* frontier;
  size_t operator()(size_t i) const {
    auto set = frontier->set(i);
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(set.data()), set.size_bytes()});
  }
  bool operator()(size_t a, size_t b) const { return std::ranges::equal(frontier->set(a), frontier->set(b)); }
};

class Search {
 public:
  Search(const BitGraph& graph, const std::vector<uint64_t>& weights, uint64_t work)
      : graph_(graph), weights_(weights), left_(work) {}

  // The largest weight of vertices no two of which are neighbours; nothing if that is too much work.
  std::optional<uint64_t> run() {
    Frontier now{0, 1, {0}, {0}};
    size_t reach = 0;  // the last vertex that may be ruled out
    for (size_t v = 0; v < graph_.vertices(); v++) {
      for (size_t w = graph_.words(); w-- > 0;) {
        if (uint64_t word = graph_.row(v)[w]; word != 0) {
          reach = std::max(reach, w * 64 + 63 - static_cast<size_t>(std::countl_zero(word)));
          break;
        }
      }
      size_t first = (v + 1) / 64, last = std::max(reach / 64, first);
      uint64_t cost = now.weights.size() * 2 * (last - first + 2);
      if (cost > left_) return std::nullopt;
      left_ -= cost;
      now = step(now, v, first, last - first + 1);
    }
    return *std::max_element(now.weights.begin(), now.weights.end());
  }

 private:
  Frontier step(const Frontier& now, size_t v, size_t first, size_t stride) {
    Frontier next{first, stride, {}, {}};
    Distinct distinct{&next};
    std::unordered_map<size_t, size_t, Distinct, Distinct> known(now.weights.size() * 2, distinct, distinct);
    for (size_t i = 0; i < now.weights.size(); i++) {
      auto set = now.set(i);
      bool ruled_out = (set[v / 64 - now.first] >> v % 64 & 1) != 0;
      add(next, known, now, i, v, false);
      if (!ruled_out) add(next, known, now, i, v, true);
    }
    return next;
  }

  // What follows from the set `i` of `now` if v is taken or not.
  template <class Known>
  void add(Frontier& next, Known& known, const Frontier& now, size_t i, size_t v, bool take) {
    auto set = now.set(i);
    auto row = graph_.row(v);
    uint64_t later = v % 64 == 63 ? ~uint64_t{0} : ~uint64_t{0} << (v % 64 + 1);  // in the first word
    size_t made = next.weights.size();
    for (size_t w = next.first; w < next.first + next.stride; w++) {
      uint64_t word = w - now.first < now.stride ? set[w - now.first] : 0;
      if (take && w < row.size()) word |= row[w];
      next.sets.push_back(w == v / 64 ? word & later : word);
    }
    uint64_t weight = now.weights[i] + (take ? weights_[v] : 0);
    next.weights.push_back(weight);
    auto [at, fresh] = known.emplace(made, made);
    if (fresh) return;
    next.weights[at->second] = std::max(next.weights[at->second], weight);
    next.weights.pop_back();
    next.sets.resize(next.sets.size() - next.stride);
  }

  const BitGraph& graph_;
  const std::vector<uint64_t>& weights_;
  uint64_t left_;
};

// One vertex for each set of neighbours, with their number as its weight; such vertices are no neighbours themselves.
BitGraph merge_twins(const BitGraph& graph, std::vector<uint64_t>& weights) {
  std::vector<uint32_t> order(graph.vertices());
  std::iota(order.begin(), order.end(), 0u);
  auto compare = [&](uint32_t a, uint32_t b) {
    auto x = graph.row(a), y = graph.row(b);
    return std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
  };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    auto rows = compare(a, b);
    return rows == 0 ? a < b : rows < 0;
  });
  std::map<uint32_t, uint64_t> chosen;  // the first of each, in the order of the graph
  for (size_t i = 0; i < order.size();) {
    size_t end = i + 1;
    while (end < order.size() && compare(order[i], order[end]) == 0) end++;
    chosen[order[i]] = end - i;
    i = end;
  }
  std::vector<uint32_t> vertices;
  for (auto [vertex, weight] : chosen) {
    vertices.push_back(vertex);
    weights.push_back(weight);
  }
  return graph.induced(vertices);
}

// Of a part of the graph, its vertices in order. If it is too much, the halves for themselves: the edges between them
// only add to the cover.
Cover cover_part(const BitGraph& graph, std::span<const uint32_t> part, uint64_t work) {
  if (part.size() < 2) return {};
  BitGraph own = graph.induced(part);
  std::vector<uint64_t> weights;
  BitGraph merged = merge_twins(own, weights);
  if (auto most = Search(merged, weights, work).run()) return {part.size() - *most, true};
  size_t half = part.size() / 2;
  Cover a = cover_part(graph, part.first(half), work), b = cover_part(graph, part.subspan(half), work);
  return {a.at_least + b.at_least, false};
}

}  // namespace

Cover find_cover(const BitGraph& graph, uint64_t work) {
  Cover sum;
  for (const std::vector<uint32_t>& part : components(graph)) {
    Cover cover = cover_part(graph, part, work);
    sum.at_least += cover.at_least;
    sum.exact = sum.exact && cover.exact;
  }
  return sum;
}

}  // namespace ana
