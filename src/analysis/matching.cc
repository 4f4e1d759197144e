#include "analysis/matching.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ana {

namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// Searches for augmenting paths, contracting blossoms: a vertex stands for the blossom whose base it has.
class Edmonds {
 public:
  Edmonds(const BitGraph& graph, uint64_t work)
      : graph_(graph), left_(work), mate_(graph.vertices(), kNone), parent_(mate_), base_(graph.vertices()),
        outer_(graph.vertices()), marked_(graph.vertices()) {}

  Matching run() {
    Matching out{match_greedily(), true};
    for (uint32_t v = 0; v < graph_.vertices() && out.maximum; v++) {
      if (mate_[v] != kNone || graph_.degree(v) == 0) continue;
      uint32_t end = search(v);
      if (end != kNone) {
        augment(end);
        out.edges++;
      }
      out.maximum = left_ > 0;
    }
    return out;
  }

 private:
  // The one with the fewest neighbours left, which has the least choice, with the one of these that has the fewest.
  size_t match_greedily() {
    std::vector<size_t> choice(graph_.vertices());
    std::vector<uint32_t> open(graph_.vertices());
    std::iota(open.begin(), open.end(), 0u);
    for (uint32_t v : open) choice[v] = graph_.degree(v);
    for (size_t edges = 0;; edges++) {
      std::erase_if(open, [&](uint32_t v) { return mate_[v] != kNone || choice[v] == 0; });
      if (open.empty()) return edges;
      uint32_t v = *std::min_element(open.begin(), open.end(),
                                     [&](uint32_t a, uint32_t b) { return choice[a] < choice[b]; });
      uint32_t best = kNone;
      for_each_bit(graph_.row(v), [&](size_t w) {
        if (mate_[w] == kNone && (best == kNone || choice[w] < choice[best])) best = static_cast<uint32_t>(w);
      });
      mate_[v] = best;
      mate_[best] = v;
      for (uint32_t end : {v, best}) for_each_bit(graph_.row(end), [&](size_t w) { choice[w]--; });
    }
  }

  // The base that the blossoms of both have in common.
  uint32_t common_base(uint32_t a, uint32_t b) {
    std::fill(marked_.begin(), marked_.end(), false);
    for (;; a = parent_[mate_[a]]) {
      a = base_[a];
      marked_[a] = true;
      if (mate_[a] == kNone) break;  // the root
    }
    for (;; b = parent_[mate_[b]]) {
      b = base_[b];
      if (marked_[b]) return b;
    }
  }

  void mark_path(uint32_t v, uint32_t base, uint32_t child) {
    for (; base_[v] != base; v = parent_[mate_[v]]) {
      marked_[base_[v]] = marked_[base_[mate_[v]]] = true;
      parent_[v] = child;
      child = mate_[v];
    }
  }

  void contract(uint32_t v, uint32_t w) {
    uint32_t base = common_base(v, w);
    std::fill(marked_.begin(), marked_.end(), false);
    mark_path(v, base, w);
    mark_path(w, base, v);
    for (uint32_t i = 0; i < base_.size(); i++) {
      if (!marked_[base_[i]]) continue;
      base_[i] = base;
      if (outer_[i]) continue;
      outer_[i] = true;
      queue_.push_back(i);
    }
  }

  // The free end of an augmenting path from the root.
  uint32_t search(uint32_t root) {
    std::fill(parent_.begin(), parent_.end(), kNone);
    std::fill(outer_.begin(), outer_.end(), false);
    std::iota(base_.begin(), base_.end(), 0u);
    queue_.assign(1, root);
    outer_[root] = true;
    uint32_t end = kNone;
    for (size_t i = 0; i < queue_.size() && end == kNone && left_ > 0; i++) {
      uint32_t v = queue_[i];
      left_ -= std::min<uint64_t>(left_, graph_.words());
      for_each_bit(graph_.row(v), [&](size_t neighbour) {
        uint32_t w = static_cast<uint32_t>(neighbour);
        if (end != kNone || base_[v] == base_[w] || mate_[v] == w) return;
        if (w == root || (mate_[w] != kNone && parent_[mate_[w]] != kNone)) {
          left_ -= std::min<uint64_t>(left_, graph_.vertices());
          contract(v, w);
        } else if (parent_[w] == kNone) {
          parent_[w] = v;
          if (mate_[w] == kNone) {
            end = w;
          } else {
            outer_[mate_[w]] = true;
            queue_.push_back(mate_[w]);
          }
        }
      });
    }
    return end;
  }

  void augment(uint32_t end) {
    for (uint32_t v = end; v != kNone;) {
      uint32_t before = parent_[v], next = mate_[before];
      mate_[v] = before;
      mate_[before] = v;
      v = next;
    }
  }

  const BitGraph& graph_;
  uint64_t left_;
  std::vector<uint32_t> mate_, parent_, base_;
  std::vector<bool> outer_, marked_;
  std::vector<uint32_t> queue_;
};

}  // namespace

Matching find_matching(const BitGraph& graph, uint64_t work) { return Edmonds(graph, work).run(); }

}  // namespace ana
