// What gdb's remote protocol is spoken over: an execution in which one can go forwards and backwards. A replay of threads
// is a Timeline, one of a single rank a Trail.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "debug/replica.h"

namespace ana::debug {

// Why the debugger gets its turn.
struct Arrival {
  enum Kind { kBreakpoint, kWatch, kStep, kSignal, kInterrupted, kBegin, kEnd, kThere, kLost };
  Kind kind = kStep;
  uint32_t slot = 0;
  uint64_t address = 0;  // of a watch
  int signal = 0;
};

class History {
 public:
  virtual ~History() = default;

  virtual Replica& live() = 0;
  bool at_end() const { return at_end_; }

  std::set<uint64_t> breakpoints;
  // In the host, where gdb puts them to find a thread again that waits there: each for one slot, since all threads come
  // by. They count in go_on() alone.
  std::map<uint64_t, uint32_t> host_breakpoints;
  std::set<Watch> watches;

  virtual Arrival go_on() = 0;
  // One instruction of the slot's thread.
  virtual Arrival step(uint32_t slot) = 0;
  // As long as the thread is inside [begin, end).
  virtual Arrival step_in_range(uint32_t slot, uint64_t begin, uint64_t end) = 0;
  virtual Arrival go_back() = 0;
  virtual Arrival step_back(uint32_t slot) = 0;
  // To event `count` of the thread.
  virtual Arrival seek(uint32_t slot, uint64_t count) = 0;

  // Remembers where this is.
  virtual void mark() = 0;
  virtual Arrival return_to_mark() = 0;

  // Kept until it is deleted; numbers count from 1. 0: it could not be made.
  virtual uint32_t keep_checkpoint() = 0;
  virtual std::optional<Arrival> restart(uint32_t number) = 0;
  struct Kept {
    uint32_t number, slot;
    uint64_t count;
  };
  virtual std::vector<Kept> kept() const = 0;
  virtual bool forget(uint32_t number) = 0;

  // What the user is told of an arrival of kind kLost.
  const std::string& problem() const { return problem_; }

 protected:
  // What a stop of the live process is to the debugger; its end is noted. `slot`: whose it is if it does not say.
  Arrival arrival_of(const Stop& stop, uint32_t slot) {
    Arrival arrival{Arrival::kStep, stop.slot != kNoSlot ? stop.slot : slot};
    switch (stop.kind) {
      case Stop::kBreakpoint: arrival.kind = Arrival::kBreakpoint; break;
      case Stop::kWatch: arrival.kind = Arrival::kWatch, arrival.address = stop.address; break;
      case Stop::kStep: case Stop::kTime: break;
      case Stop::kInterrupted: arrival.kind = Arrival::kInterrupted; break;
      case Stop::kSignal:
        at_end_ = true, end_stop_ = stop;
        arrival.kind = Arrival::kSignal, arrival.signal = stop.signal;
        break;
      case Stop::kTrap: case Stop::kGone:
        at_end_ = true, end_stop_ = stop;
        arrival.kind = Arrival::kEnd;
        break;
    }
    return arrival;
  }

  bool at_end_ = false;
  Stop end_stop_;
  std::string problem_ = "that place of the execution was not found again";
};

}  // namespace ana::debug
