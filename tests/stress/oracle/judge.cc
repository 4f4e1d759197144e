// Values and edges. Each slot is a list of steps, its accesses and its waits, by count; a wait at the count of an
// access comes before it. Steps run as soon as their sources have; each access gets a vector clock. Whatever order they
// run in, conflicting accesses must be ordered by the clocks, and each read must return the last write of that order.
#include <algorithm>
#include <unordered_map>

#include "history.h"

namespace oracle {

namespace {

using Clock = std::vector<int64_t>;  // for each slot: the last of its accesses that is known to have happened

struct Step {
  const Access* access = nullptr;
  const Edge* edge = nullptr;
};

std::vector<Step> steps_of(const Slot& slot) {
  std::vector<Step> steps;
  size_t edge = 0;
  for (const Access& access : slot.accesses) {
    while (edge < slot.edges.size() && slot.edges[edge].count <= access.count)
      steps.push_back({nullptr, &slot.edges[edge++]});
    steps.push_back({&access, nullptr});
  }
  while (edge < slot.edges.size()) steps.push_back({nullptr, &slot.edges[edge++]});
  return steps;
}

class Judge {
 public:
  explicit Judge(const History& history) {
    size_t slots = history.slots.size();
    for (const Slot& slot : history.slots) steps_.push_back(steps_of(slot));
    done_.assign(slots, 0);
    clocks_.resize(slots);
    now_.assign(slots, Clock(slots, -1));
  }

  Verdict run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (uint32_t slot = 0; slot < steps_.size(); slot++)
        while (done_[slot] < steps_[slot].size() && advance(slot)) moved = true;
    }
    for (uint32_t slot = 0; slot < steps_.size(); slot++)
      if (done_[slot] < steps_[slot].size())
        problem("slot " + std::to_string(slot) + " cannot go on after " + std::to_string(done_[slot]) +
                " steps: the edges form a circle");
    return verdict_;
  }

 private:
  // How many steps of the source lie before the publication that the edge waits for.
  size_t steps_before(const Edge& edge) const {
    const std::vector<Step>& steps = steps_[edge.source];
    size_t at = 0;
    uint64_t edges = 0;
    for (; at < steps.size(); at++) {
      if (steps[at].edge != nullptr) {
        if (edges == edge.source_edges) break;
        edges++;
      } else if (steps[at].access->count > edge.source_count) {
        break;
      }
    }
    return at;
  }

  bool advance(uint32_t slot) {
    const Step& step = steps_[slot][done_[slot]];
    if (step.edge != nullptr && !step.edge->dropped) {
      size_t before = steps_before(*step.edge);
      if (done_[step.edge->source] < before) return false;
      join(now_[slot], step.edge->source, before);
    }
    if (step.access != nullptr) {
      now_[slot][slot] = step.access->index;
      look_at(*step.access);
    }
    done_[slot]++;
    clocks_[slot].push_back(now_[slot]);
    return true;
  }

  void join(Clock& into, uint32_t source, size_t steps) {
    if (steps == 0) return;
    const Clock& other = clocks_[source][steps - 1];
    for (size_t i = 0; i < into.size(); i++) into[i] = std::max(into[i], other[i]);
  }

  void look_at(const Access& access) {
    Place& place = places_[access.location];
    if (place.write != nullptr) compare(*place.write, access);
    if (access.reads()) {
      uint64_t expected = place.write != nullptr ? place.write->written : 0;
      if (access.read != expected) problem(name(access) + " read a value that is not the last one written");
    }
    if (!access.writes()) {
      place.reads.push_back(&access);
      return;
    }
    for (const Access* read : place.reads) compare(*read, access);
    place.reads.clear();
    place.write = &access;
  }

  void compare(const Access& earlier, const Access& later) {
    verdict_.pairs++;
    if (earlier.slot == later.slot) return;
    verdict_.between_slots++;
    if (now_[later.slot][earlier.slot] < static_cast<int64_t>(earlier.index))
      problem(name(earlier) + " and " + name(later) + " are not in order");
  }

  static std::string name(const Access& access) {
    return "slot " + std::to_string(access.slot) + " count " + std::to_string(access.count) + " (" +
           static_cast<char>(access.kind) + " of location " + std::to_string(access.location) + ")";
  }

  void problem(const std::string& text) {
    verdict_.good = false;
    if (verdict_.first_problem.empty()) verdict_.first_problem = text;
  }

  struct Place {
    const Access* write = nullptr;
    std::vector<const Access*> reads;
  };

  std::vector<std::vector<Step>> steps_;
  std::vector<size_t> done_;
  std::vector<std::vector<Clock>> clocks_;  // after each step
  std::vector<Clock> now_;
  std::unordered_map<uint32_t, Place> places_;
  Verdict verdict_;
};

}  // namespace

Verdict judge(const History& history) { return Judge(history).run(); }

}  // namespace oracle
