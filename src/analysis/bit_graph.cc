#include "analysis/bit_graph.h"

#include <algorithm>

namespace ana {

std::vector<std::vector<uint32_t>> components(const BitGraph& graph) {
  std::vector<std::vector<uint32_t>> out;
  std::vector<bool> seen(graph.vertices());
  for (uint32_t v = 0; v < graph.vertices(); v++) {
    if (seen[v]) continue;
    std::vector<uint32_t> found = {v};
    seen[v] = true;
    for (size_t i = 0; i < found.size(); i++) {
      for_each_bit(graph.row(found[i]), [&](size_t w) {
        if (seen[w]) return;
        seen[w] = true;
        found.push_back(static_cast<uint32_t>(w));
      });
    }
    std::sort(found.begin(), found.end());
    out.push_back(std::move(found));
  }
  return out;
}

}  // namespace ana
