#include "racing.h"

#include <algorithm>
#include <map>

namespace ana::oracle {

using algorithms::EdgeKind;
using algorithms::Serial;
using algorithms::ThreadIndex;

namespace {

// Vector clocks of all events from program order and the edges; empty if these are cyclic.
std::vector<std::vector<std::vector<Serial>>> clocks_of(const std::vector<std::vector<Done>>& done,
                                                        const std::vector<sim::Dependence>& more) {
  size_t n = done.size();
  std::vector<std::vector<std::vector<Edge>>> edges(n);
  for (size_t t = 0; t < n; ++t) {
    for (const Done& d : done[t]) edges[t].push_back(d.edges);
  }
  for (const sim::Dependence& d : more)
    edges[d.sink][d.sink_serial - 1].push_back({d.source, d.source_serial, EdgeKind::war});
  std::vector<std::vector<std::vector<Serial>>> clocks(n);
  for (bool going = true; going;) {
    going = false;
    for (size_t t = 0; t < n; ++t) {
      while (clocks[t].size() < done[t].size()) {
        std::vector<Serial> clock = clocks[t].empty() ? std::vector<Serial>(n, 0) : clocks[t].back();
        bool waits = false;
        for (const Edge& e : edges[t][clocks[t].size()]) {
          if (clocks[e.thread].size() < e.serial) {
            waits = true;
            break;
          }
          const auto& source = clocks[e.thread][e.serial - 1];
          for (size_t i = 0; i < n; ++i) clock[i] = std::max(clock[i], source[i]);
        }
        if (waits) break;
        clock[t] = clocks[t].size() + 1;
        clocks[t].push_back(clock);
        going = true;
      }
    }
  }
  for (size_t t = 0; t < n; ++t) {
    if (clocks[t].size() < done[t].size()) return {};
  }
  return clocks;
}

}  // namespace

uint64_t judge(const std::vector<std::vector<Done>>& done, const std::vector<sim::Dependence>& more) {
  auto clocks = clocks_of(done, more);
  if (clocks.empty()) return ~uint64_t{0};
  std::map<std::pair<uint32_t, uint64_t>, Event> next;  // of each write and granule, the write that replaced it
  for (ThreadIndex t = 0; t < done.size(); ++t) {
    for (Serial s = 1; s <= done[t].size(); ++s) {
      const Done& d = done[t][s - 1];
      if (d.wrote) next[{d.granule, d.value.bits()}] = {t, s, true};
    }
  }
  uint64_t open = 0;
  auto covers = [&](Event after, Event before) {
    return clocks[after.thread()][after.time() - 1][before.thread()] >= before.time();
  };
  for (ThreadIndex t = 0; t < done.size(); ++t) {
    for (Serial s = 1; s <= done[t].size(); ++s) {
      const Done& d = done[t][s - 1];
      Event self(t, s, d.wrote);
      if (d.value && !covers(self, d.value)) ++open;
      if (d.wrote) continue;
      auto after = next.find({d.granule, d.value.bits()});
      if (after != next.end() && !covers(after->second, self)) ++open;
    }
  }
  return open;
}

}  // namespace ana::oracle
