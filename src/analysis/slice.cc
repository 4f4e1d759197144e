#include "analysis/slice.h"

#include <algorithm>
#include <queue>

namespace ana::dependences {

void Slice::add(const Dependence& dependence) {
  if (dependence.kind != Kind::raw && !dependence.object) return;
  uint32_t slot = dependence.to.slot;
  if (slot >= arrivals_.size()) arrivals_.resize(slot + 1);
  arrivals_[slot].push_back({next_order_++, dependence});
}

std::vector<Step> Slice::back_from(uint32_t slot, uint64_t count, size_t steps) const {
  struct Place {
    uint64_t order;  // of the last arrival before the position
    uint32_t slot;
    size_t arrival;
    uint32_t depth;
    bool operator<(const Place& other) const { return order < other.order; }
  };
  std::priority_queue<Place> open;
  auto enter = [&](uint32_t s, size_t end, uint32_t depth) {
    if (end != 0) open.push({arrivals_[s][end - 1].order, s, end - 1, depth});
  };
  auto before = [&](uint32_t s, auto is_before) {
    if (s >= arrivals_.size()) return size_t{0};
    auto at = std::partition_point(arrivals_[s].begin(), arrivals_[s].end(), [&](const Arrival& a) { return is_before(a.by.to); });
    return static_cast<size_t>(at - arrivals_[s].begin());
  };
  std::vector<std::vector<bool>> seen;
  for (const auto& list : arrivals_) seen.emplace_back(list.size());
  enter(slot, before(slot, [&](const Reference& r) { return r.count <= count; }), 0);
  std::vector<Step> out;
  while (!open.empty() && out.size() < steps) {
    Place place = open.top();
    open.pop();
    if (seen[place.slot][place.arrival]) continue;
    seen[place.slot][place.arrival] = true;
    const Dependence& by = arrivals_[place.slot][place.arrival].by;
    out.push_back({by, place.depth});
    enter(place.slot, place.arrival, place.depth);
    enter(by.from.slot, before(by.from.slot, [&](const Reference& r) { return r.number <= by.from.number; }), place.depth + 1);
  }
  return out;
}

}  // namespace ana::dependences
