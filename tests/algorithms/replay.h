// Replays of small executions by what an algorithm traced: threads run in a random order, as far as the trace lets them
// (Stradal 6.2).
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "run_tracer.h"

namespace ana::oracle {

// Asks the mechanism whether an event (a place in the total order) may run now, and tells it when it has.
class Mechanism {
 public:
  virtual ~Mechanism() = default;
  virtual bool may_run(size_t event) = 0;
  virtual void has_run(size_t event) = 0;
};

// What is wrong with one random replay: a conflicting pair in the other order, or threads that wait for each other. ""
// if nothing.
std::string replay(const Execution& execution, Mechanism& mechanism, std::mt19937_64& random);

// Waits for the source of each edge.
class EdgeReplay : public Mechanism {
 public:
  EdgeReplay(const Execution& execution, const std::vector<std::pair<size_t, size_t>>& edges)
      : sources_(execution.events.size(), 0) {
    for (auto [source, sink] : edges) sources_[sink] |= uint64_t{1} << source;
  }
  bool may_run(size_t event) override { return (sources_[event] & ~done_) == 0; }
  void has_run(size_t event) override { done_ |= uint64_t{1} << event; }

 private:
  std::vector<uint64_t> sources_;
  uint64_t done_ = 0;
};

enum class LamportScheme {
  every_event,    // waits until no other thread's next event has a smaller time
  traced_events,  // the same, but only at traced events
  with_process,   // at traced events, until the thread that was recorded has passed the recorded time
};

// Has the traced edges only: computes the times of events from them, as a replay does.
class LamportReplay : public Mechanism {
 public:
  LamportReplay(const Execution& execution, const std::vector<std::vector<Edge>>& edges, LamportScheme scheme);
  bool may_run(size_t event) override;
  void has_run(size_t event) override;

 private:
  const Execution& execution_;
  const std::vector<std::vector<Edge>>& edges_;
  LamportScheme scheme_;
  std::vector<uint64_t> times_;                // of events
  std::vector<std::vector<uint64_t>> slices_;  // times of the events of each thread, then "never"
  std::vector<size_t> next_;
};

}  // namespace ana::oracle
