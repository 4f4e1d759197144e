// The events that the present one must come after and that its clock does not cover: filled by check(), traced by
// settle(). At most one per thread, the latest, since program order implies the others. `Known` is what the clock
// policy keeps with an event.
#pragma once
#include "algorithms/event.h"

namespace ana::algorithms {

// Of clocks whose histories need no more than the name of an event.
struct Nothing {};

template <class Known>
struct Candidate {
  Event event;
  EdgeKind kind;
  [[no_unique_address]] Known known;
};

template <class Known>
class Candidates {
 public:
  template <Host H>
  void start(H& host, unsigned threads) {
    list_ = static_cast<Candidate<Known>*>(host.allocate(threads * sizeof(Candidate<Known>)));
    slot_of_ = static_cast<uint16_t*>(host.allocate(threads * sizeof(uint16_t)));
    for (unsigned i = 0; i < threads; ++i) slot_of_[i] = 0;
    count_ = 0;
  }
  template <Host H>
  void stop(H& host, unsigned threads) {
    host.release(list_, threads * sizeof(Candidate<Known>));
    host.release(slot_of_, threads * sizeof(uint16_t));
  }

  bool empty() const { return count_ == 0; }
  const Candidate<Known>* begin() const { return list_; }
  const Candidate<Known>* end() const { return list_ + count_; }

  void add(Event event, bool sink_writes, Known known) {
    uint16_t& slot = slot_of_[event.thread()];
    if (!slot) {
      slot = ++count_;
    } else if (list_[slot - 1].event.time() >= event.time()) {
      return;
    }
    list_[slot - 1] = {event, edge_kind(event.wrote(), sink_writes), known};
  }

  void clear() {
    for (const Candidate<Known>& c : *this) slot_of_[c.event.thread()] = 0;
    count_ = 0;
  }

 private:
  Candidate<Known>* list_;
  uint16_t* slot_of_;  // by thread, from 1
  unsigned count_;
};

}  // namespace ana::algorithms
