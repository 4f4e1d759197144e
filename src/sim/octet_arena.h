// The host of Octet in the simulator: it also tells where the other threads are, namely at their last events.
#pragma once
#include <vector>

#include "sim/arena_host.h"

namespace ana::sim {

class OctetArena : public ArenaHost {
 public:
  // Of the next thread; `serial` stays where it is.
  void know(const algorithms::Serial& serial) { serials_.push_back(&serial); }

  algorithms::Serial done(algorithms::ThreadIndex thread) const { return *serials_[thread]; }
  void lock_shared_state() {}
  void unlock_shared_state() {}

 private:
  std::vector<const algorithms::Serial*> serials_;
};

}  // namespace ana::sim
