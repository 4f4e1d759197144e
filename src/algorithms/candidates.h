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
  unsigned size() const { return count_; }
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

// Every event that the present one has read from, each once.
class SourceEvents {
 public:
  template <Host H>
  void start(H& host) {
    capacity_ = kFirstCapacity;
    list_ = static_cast<Event*>(host.allocate(capacity_ * sizeof(Event)));
    count_ = 0;
  }
  template <Host H>
  void stop(H& host) {
    host.release(list_, capacity_ * sizeof(Event));
  }

  unsigned size() const { return count_; }
  const Event* begin() const { return list_; }
  const Event* end() const { return list_ + count_; }

  template <Host H>
  void add(H& host, Event event) {
    for (unsigned i = count_; i-- > 0;) {  // granules side by side were often written together
      if (list_[i] == event) return;
    }
    if (count_ == capacity_) grow(host);
    list_[count_++] = event;
  }
  // Program order puts `event` before one of these.
  bool cover(Event event) const {
    for (Event e : *this) {
      if (e.thread() == event.thread() && e.time() >= event.time()) return true;
    }
    return false;
  }
  void clear() { count_ = 0; }

 private:
  static constexpr unsigned kFirstCapacity = 8;

  template <Host H>
  void grow(H& host) {
    auto* larger = static_cast<Event*>(host.allocate(2 * capacity_ * sizeof(Event)));
    for (unsigned i = 0; i < count_; ++i) larger[i] = list_[i];
    host.release(list_, capacity_ * sizeof(Event));
    list_ = larger;
    capacity_ *= 2;
  }

  Event* list_;
  unsigned count_, capacity_;
};

}  // namespace ana::algorithms
