// How an event came about: the chain of dependences that lead to it, across threads, the latest first. A position of a
// thread is there because of all that the thread did before, and of what it read from others: values that they wrote, and
// objects that they used before.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/dependences.h"
#include "analysis/variables.h"

namespace ana::dependences {

// One step back. `depth`: how many threads were crossed to come to it.
struct Step {
  Dependence by;
  uint32_t depth;
};

class Slice {
 public:
  // `place_of`: a number for what a reader would take for the same place as this site.
  using PlaceOf = std::function<uint64_t(uint64_t site)>;
  explicit Slice(PlaceOf place_of = {}, Variables variables = {})
      : place_of_(std::move(place_of)), variables_(std::move(variables)) {}

  // Of all dependences of an execution, in their order: keeps those by which a thread learns of another.
  void add(const Dependence& dependence);
  // At most `steps`, the latest first, from all that the event of this count and what was before it in its slot depend on.
  // What a thread reads several times of one write is one step, the last; and so are neighbouring bytes of a variable that
  // one place of the program reads and one wrote, or of other memory that it reads at one event. What was written before the
  // thread that reads it began comes last, if there is room.
  std::vector<Step> back_from(uint32_t slot, uint64_t count, size_t steps) const;

 private:
  struct Arrival {
    uint64_t order;  // over all threads
    Dependence by;
    bool initial;    // written before the thread began
  };
  struct Begin {
    uint32_t slot = 0;    // who created the thread ...
    uint64_t number = 0;  // ... by which reference; 0: not known
  };
  class Steps;

  bool belong_together(const Step& a, const Step& b) const;
  bool is_initial(const Dependence& dependence) const;

  PlaceOf place_of_;
  Variables variables_;
  std::vector<std::vector<Arrival>> arrivals_;  // of each slot
  std::vector<Begin> begins_;                   // of the slots' present threads
  uint64_t next_order_ = 0;
};

}  // namespace ana::dependences
