// What non-critical edges ask for, answered exactly: in a simulation every other thread stands at its last event.
#pragma once
#include <vector>

#include "algorithms/clocks.h"

namespace ana::sim {

class ExactOthers {
 public:
  void know(const algorithms::VectorClock& clock) { clocks_.push_back(&clock); }
  void current(algorithms::ThreadIndex thread, algorithms::VectorClock& out) const {
    for (unsigned i = 0; i < out.threads; ++i) out.at[i] = clocks_[thread]->at[i];
  }

 private:
  std::vector<const algorithms::VectorClock*> clocks_;
};

}  // namespace ana::sim
