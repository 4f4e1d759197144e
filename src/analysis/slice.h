// How an event came about: the chain of dependences that lead to it, across threads, the latest first. A position of a
// thread is there because of all that the thread did before, and of what it read from others: values that they wrote, and
// objects that they used before.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/dependences.h"

namespace ana::dependences {

// One step back. `depth`: how many threads were crossed to come to it.
struct Step {
  Dependence by;
  uint32_t depth;
};

class Slice {
 public:
  // Of all dependences of an execution, in their order: keeps those by which a thread learns of another.
  void add(const Dependence& dependence);
  // At most `steps`, the latest first, from all that the event of this count and what was before it in its slot depend on.
  std::vector<Step> back_from(uint32_t slot, uint64_t count, size_t steps) const;

 private:
  struct Arrival {
    uint64_t order;  // over all threads
    Dependence by;
  };
  std::vector<std::vector<Arrival>> arrivals_;  // of each slot
  uint64_t next_order_ = 0;
};

}  // namespace ana::dependences
