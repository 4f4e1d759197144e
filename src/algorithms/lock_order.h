// MutexLock (LEAP; Jiang 2015, V): every access takes the granule's lock, and each holder depends on the one before if
// that was another thread. The weak history without any clock, so that nothing implies anything.
#pragma once
#include "algorithms/tracer.h"

namespace ana::algorithms {

template <Host H>
class LockOrder {
 public:
  using Known = Nothing;
  struct State {
    ThreadIndex index;
    Serial serial;
    Candidates<Known> candidates;
  };

  LockOrder(H& host, unsigned threads) : host_(host), threads_(threads) {}

  void start(State& state, ThreadIndex index) {
    state.index = index;
    state.serial = 0;
    state.candidates.start(host_, threads_);
  }
  void stop(State& state) { state.candidates.stop(host_, threads_); }

  void skip(State&, int64_t) {}
  void begin(State& state, ThreadIndex, Serial serial) { state.serial = serial; }
  bool covers(const State& state, Event event) const { return event.thread() == state.index; }
  uint64_t time(const State& state, ThreadIndex) const { return state.serial; }

  template <Sink S>
  void settle(State& state, S& sink) {
    for (const auto& c : state.candidates) sink.edge({c.event.thread(), c.event.time(), c.kind});
    state.candidates.clear();
  }
  void finish(State&) {}

 private:
  H& host_;
  unsigned threads_;
};

template <Host H>
using MutexLock = Tracer<H, WeakHistory, LockOrder<H>>;

}  // namespace ana::algorithms
