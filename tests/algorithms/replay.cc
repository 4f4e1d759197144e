#include "replay.h"

#include <fmt/format.h>

#include <algorithm>

namespace ana::oracle {

std::string replay(const Execution& execution, Mechanism& mechanism, std::mt19937_64& random) {
  std::vector<std::vector<size_t>> todo(execution.threads);
  for (size_t i = execution.events.size(); i-- > 0;) todo[execution.events[i].thread].push_back(i);
  std::vector<size_t> done;
  while (done.size() < execution.events.size()) {
    std::vector<size_t> ready;
    for (auto& thread : todo) {
      if (!thread.empty() && mechanism.may_run(thread.back())) ready.push_back(thread.back());
    }
    if (ready.empty()) return fmt::format("all wait after {} events of {}", done.size(), execution.text());
    size_t event = ready[random() % ready.size()];
    for (size_t later : done) {
      if (later > event && conflict(execution.events[event], execution.events[later]))
        return fmt::format("event {} after {} in a replay of {}", event, later, execution.text());
    }
    done.push_back(event);
    todo[execution.events[event].thread].pop_back();
    mechanism.has_run(event);
  }
  return "";
}

LamportReplay::LamportReplay(const Execution& execution, const std::vector<std::vector<Edge>>& edges,
                             LamportScheme scheme)
    : execution_(execution), edges_(edges), scheme_(scheme), slices_(execution.threads), next_(execution.threads, 0) {
  std::vector<uint64_t> clocks(execution.threads, 0);
  for (size_t i = 0; i < execution.events.size(); ++i) {
    ThreadIndex thread = execution.events[i].thread;
    for (const Edge& e : edges[i]) clocks[thread] = std::max(clocks[thread], e.serial);
    times_.push_back(++clocks[thread]);
    slices_[thread].push_back(clocks[thread]);
  }
  for (auto& slices : slices_) slices.push_back(~uint64_t{0});
}

bool LamportReplay::may_run(size_t event) {
  auto slice = [&](ThreadIndex thread) { return slices_[thread][next_[thread]]; };
  if (scheme_ != LamportScheme::every_event && edges_[event].empty()) return true;
  if (scheme_ == LamportScheme::with_process) {
    return std::all_of(edges_[event].begin(), edges_[event].end(),
                       [&](const Edge& e) { return slice(e.thread) > e.serial; });
  }
  for (ThreadIndex i = 0; i < execution_.threads; ++i) {
    if (i != execution_.events[event].thread && slice(i) < times_[event]) return false;
  }
  return true;
}

void LamportReplay::has_run(size_t event) { ++next_[execution_.events[event].thread]; }

}  // namespace ana::oracle
