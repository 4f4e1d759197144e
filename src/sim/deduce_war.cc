#include "sim/deduce_war.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ana::sim {

namespace {

using algorithms::Edge;
using algorithms::Serial;
using algorithms::ThreadIndex;

struct Name {
  ThreadIndex thread;
  Serial serial;
};

class Deduction {
 public:
  explicit Deduction(const std::vector<std::vector<TracedEvent>>& threads) : threads_(threads) {
    for (size_t i = 0; i < threads.size(); i++) {
      Progress& p = progress_.emplace_back();
      p.clock.resize(threads.size(), 0);
    }
  }

  // Follows the edges, each thread as far as it can go in turn.
  Status run() {
    for (bool going = true; going;) {
      going = false;
      for (ThreadIndex i = 0; i < threads_.size(); i++) {
        auto steps = advance(i);
        if (!steps) return steps.error();
        going |= *steps > 0;
      }
    }
    for (ThreadIndex i = 0; i < threads_.size(); i++) {
      if (progress_[i].done < threads_[i].size())
        return Error{
            fmt::format("the order is cyclic: event {} of thread {} can never happen", progress_[i].done + 1, i)};
    }
    return {};
  }

  std::vector<Dependence> dependences() const {
    std::vector<Dependence> out;
    for (const auto& [granule, history] : granules_) {
      for (const auto& [key, serial] : history.reads) {
        auto [write, reader] = key;
        if (write >= history.writes.size()) continue;  // nobody wrote afterwards
        const Name& next = history.writes[write];
        if (next.thread != reader) out.push_back({reader, serial, next.thread, next.serial});
      }
    }
    return out;
  }

 private:
  struct Progress {
    Serial done = 0;
    std::vector<Serial> clock;
    // The clock changes at sinks only: what it was from which event on.
    std::vector<std::pair<Serial, std::vector<Serial>>> past;
  };
  struct History {
    std::vector<Name> writes;
    // The last read of each thread that comes before writes[first].
    std::map<std::pair<size_t, ThreadIndex>, Serial> reads;
  };

  Result<Serial> advance(ThreadIndex self) {
    Progress& p = progress_[self];
    Serial first = p.done;
    for (; p.done < threads_[self].size(); p.done++) {
      const TracedEvent& event = threads_[self][p.done];
      for (const Edge& e : event.edges) {
        if (e.thread >= threads_.size() || e.serial == 0 || e.serial > threads_[e.thread].size())
          return Error{
              fmt::format("event {} of thread {} depends on event {} of thread {}, which the trace does not have",
                          p.done + 1, self, e.serial, e.thread)};
        if (progress_[e.thread].done < e.serial) return p.done - first;
      }
      if (!event.edges.empty()) join(p, event.edges);
      p.clock[self] = p.done + 1;
      if (Status s = enter(self, p.done + 1, event); !s) return s.error();
    }
    return p.done - first;
  }

  void join(Progress& p, const std::vector<Edge>& edges) {
    for (const Edge& e : edges) {
      const auto& past = progress_[e.thread].past;
      auto after = std::upper_bound(past.begin(), past.end(), e.serial, [](Serial s, auto& x) { return s < x.first; });
      if (after != past.begin()) {
        const std::vector<Serial>& known = std::prev(after)->second;
        for (size_t i = 0; i < known.size(); i++) p.clock[i] = std::max(p.clock[i], known[i]);
      }
      p.clock[e.thread] = std::max(p.clock[e.thread], e.serial);
    }
    p.past.emplace_back(p.done + 1, p.clock);
  }

  Status enter(ThreadIndex self, Serial serial, const TracedEvent& event) {
    const std::vector<Serial>& clock = progress_[self].clock;
    auto comes_before = [&](const Name& write) { return clock[write.thread] >= write.serial; };
    for (const GranuleAccess& a : event.accesses) {
      History& history = granules_[a.granule];
      if (a.writes) {
        if (!history.writes.empty() && !comes_before(history.writes.back()))
          return Error{
              fmt::format("the trace does not say which of two writes came first: event {} of thread {} or "
                          "event {} of thread {}",
                          history.writes.back().serial, history.writes.back().thread, serial, self)};
        history.writes.push_back({self, serial});
      } else {
        size_t next = history.writes.size();
        while (next > 0 && !comes_before(history.writes[next - 1])) next--;
        history.reads[{next, self}] = serial;
      }
    }
    return {};
  }

  const std::vector<std::vector<TracedEvent>>& threads_;
  std::vector<Progress> progress_;
  std::unordered_map<uint64_t, History> granules_;
};

}  // namespace

Result<std::vector<Dependence>> deduce_war(const std::vector<std::vector<TracedEvent>>& threads) {
  Deduction deduction(threads);
  if (Status s = deduction.run(); !s) return s.error();
  return deduction.dependences();
}

}  // namespace ana::sim
