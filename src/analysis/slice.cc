#include "analysis/slice.h"

#include <algorithm>
#include <queue>

namespace ana::dependences {

namespace {

// Whether the order of two operations on an object is one that the program relies on. Objects may share a number, and so
// may threads, one after the other.
bool means_something(const Dependence& d) {
  if (d.to.operation == Told::kAccess || d.from.operation == Told::kAccess) return false;
  if (d.to.operation == Told::kStart) return d.from.operation == Told::kCreate;
  if (d.to.operation == Told::kJoin) return d.from.operation == Told::kEnd;
  return d.to.object && d.to.object == d.from.object;
}

bool are_neighbours(const Dependence& a, const Dependence& b) {
  return !a.object && !b.object && a.to.slot == b.to.slot && a.from.slot == b.from.slot &&
         (a.address + a.bytes == b.address || b.address + b.bytes == a.address);
}

}  // namespace

// Those found so far.
class Slice::Steps {
 public:
  Steps(size_t most, const Slice& slice) : most_(most), slice_(slice) {}

  bool full() const { return found_.size() >= most_; }
  void add(const Dependence& by, uint32_t depth) {
    bool known = !by.object && !known_.emplace(by.from.slot, by.from.number, by.to.slot).second;
    Step step{by, depth};
    if (!join_to_one(step) && !known && !full()) found_.push_back(step);
  }
  std::vector<Step> followed_by(const Steps& others) && {
    for (const Step& step : others.found_)
      if (!full()) found_.push_back(step);
    return std::move(found_);
  }

 private:
  // False if there is none that it belongs to. Two that it lies between become one.
  bool join_to_one(const Step& step) {
    auto neighbour = [&](const Step& other) { return slice_.belong_together(other, step); };
    auto first = std::find_if(found_.begin(), found_.end(), neighbour);
    if (first == found_.end()) return false;
    auto second = std::find_if(first + 1, found_.end(), neighbour);
    widen(*first, step);
    if (second != found_.end() && are_neighbours(first->by, second->by)) {
      widen(*first, *second);
      found_.erase(second);
    }
    return true;
  }
  static void widen(Step& step, const Step& other) {
    step.by.address = std::min(step.by.address, other.by.address);
    step.by.bytes += other.by.bytes;
  }

  size_t most_;
  const Slice& slice_;
  std::vector<Step> found_;
  std::set<std::tuple<uint32_t, uint64_t, uint32_t>> known_;  // writes, and who has read them
};

void Slice::add(const Dependence& dependence) {
  if (dependence.object ? !means_something(dependence) : dependence.kind != Kind::raw) return;
  uint32_t slot = dependence.to.slot;
  if (slot >= arrivals_.size()) {
    arrivals_.resize(slot + 1);
    begins_.resize(slot + 1);
  }
  if (dependence.to.operation == Told::kStart) begins_[slot] = {dependence.from.slot, dependence.from.number};
  arrivals_[slot].push_back({next_order_++, dependence, is_initial(dependence)});
}

// Where it is not known what is one variable, fields of a structure that one line of a header accesses must not be taken for
// one: only what the same instructions read and wrote, at one event of the reader.
bool Slice::belong_together(const Step& a, const Step& b) const {
  if (a.depth != b.depth || !are_neighbours(a.by, b.by)) return false;
  uint64_t variable = variables_.of(a.by.address);
  if (variable != variables_.of(b.by.address)) return false;
  if (!variable)
    return a.by.to.site == b.by.to.site && a.by.to.count == b.by.to.count && a.by.from.site == b.by.from.site;
  return place_of_ && place_of_(a.by.to.site) == place_of_(b.by.to.site) &&
         place_of_(a.by.from.site) == place_of_(b.by.from.site);
}

// Threads are created by threads that were created before.
bool Slice::is_initial(const Dependence& dependence) const {
  if (dependence.object) return false;
  uint32_t slot = dependence.to.slot;
  for (size_t n = 0; n < begins_.size() && slot < begins_.size() && begins_[slot].number; n++) {
    const Begin& begin = begins_[slot];
    if (dependence.from.slot == begin.slot && dependence.from.number <= begin.number) return true;
    slot = begin.slot;
  }
  return false;
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
  Steps found(steps, *this), initial(steps, *this);
  while (!open.empty() && !found.full()) {
    Place place = open.top();
    open.pop();
    if (seen[place.slot][place.arrival]) continue;
    seen[place.slot][place.arrival] = true;
    const Arrival& arrival = arrivals_[place.slot][place.arrival];
    const Dependence& by = arrival.by;
    (arrival.initial ? initial : found).add(by, place.depth);
    enter(place.slot, place.arrival, place.depth);
    enter(by.from.slot, before(by.from.slot, [&](const Reference& r) { return r.number <= by.from.number; }), place.depth + 1);
  }
  return std::move(found).followed_by(initial);
}

}  // namespace ana::dependences
