// The axis "clock" (with "rule") of the adaptive algorithms: what orders events, and what a traced edge adds to it.
//
//   VectorOrder    critical: an edge makes its source's whole knowledge known (Netzer '93, Stradal 4.1.1)
//   RaisedOrder    critical: an edge makes its source known and nothing else (compressed, Stradal 4.1.2)
//   NonCritical    over one of the two: the edge starts at the source thread's present event (Stradal 4.1.3, 4.1.4)
//   LamportOrder   one number per thread (Stradal 4.1.5, 4.1.6)
//
// Each has a State per thread, and a type Known of what histories keep with an event beside its name.
#pragma once
#include "algorithms/candidates.h"
#include "algorithms/snapshot.h"

namespace ana::algorithms {

// What non-critical edges ask the host for: the clock of another thread, whose own entry is an event that the thread
// has completed (the present one in the simulator; a published, perhaps older one in the recorder).
template <class T>
concept Others = requires(T& others, ThreadIndex thread, VectorClock& out) {
  others.current(thread, out);
};

template <Host H>
class VectorOrder {
 public:
  using Known = Snapshot*;
  struct State {
    ThreadIndex index;
    VectorClock clock;
    Snapshot* snapshot;  // of the clock, unless it has changed since
    bool changed;
    Candidates<Known> candidates;
  };

  VectorOrder(H& host, unsigned threads) : host_(host), snapshots_(host, threads), threads_(threads) {}

  void start(State& state, ThreadIndex index) {
    state.index = index;
    state.clock = {static_cast<Serial*>(host_.allocate(threads_ * sizeof(Serial))), threads_};
    for (unsigned i = 0; i < threads_; ++i) state.clock.at[i] = 0;
    state.snapshot = nullptr;
    state.changed = false;
    state.candidates.start(host_, threads_);
  }
  void stop(State& state) {
    snapshots_.release(state.snapshot);
    host_.release(state.clock.at, threads_ * sizeof(Serial));
    state.candidates.stop(host_, threads_);
  }

  void skip(State&, int64_t) {}
  void begin(State& state, ThreadIndex index, Serial serial) { state.clock.at[index] = serial; }
  bool covers(const State& state, Event event) const { return state.clock.covers(event); }
  uint64_t time(const State& state, ThreadIndex index) const { return state.clock.at[index]; }

  // A candidate that another candidate knows of is transitive. All that is known is joined before the first is tested;
  // a snapshot says nothing of its own thread, so none is taken for known by itself.
  template <Sink S>
  void settle(State& state, S& sink) {
    join_known(state);
    for (const auto& c : state.candidates) {
      if (state.clock.covers(c.event)) continue;
      sink.edge({c.event.thread(), c.event.time(), c.kind});
      state.clock.raise(c.event.thread(), c.event.time());
    }
    state.candidates.clear();
  }

  void finish(State&) {}

  void join_known(State& state) {
    for (const auto& c : state.candidates) {
      if (c.known) state.clock.join(c.known->at);
    }
    state.changed = true;
  }

  // What the thread knows now, for a history that has room for one: `held` is what it kept there before.
  void replace(State& state, Snapshot*& held) {
    if (state.changed) take_snapshot(state);
    if (held == state.snapshot) return;
    snapshots_.retain(state.snapshot);
    snapshots_.release(held);
    held = state.snapshot;
  }
  // The thread has learnt nothing since `known` was what it knew.
  bool knows_no_more(const State& state, Known known) const { return !state.changed && known == state.snapshot; }
  void retain(Known known) { snapshots_.retain(known); }
  void release(Known known) { snapshots_.release(known); }

 private:
  void take_snapshot(State& state) {
    snapshots_.release(state.snapshot);
    state.snapshot = snapshots_.make(state.clock, state.index);
    state.changed = false;
  }

  H& host_;
  Snapshots<H> snapshots_;
  unsigned threads_;
};

template <Host H>
class RaisedOrder {
 public:
  using Known = Nothing;
  struct State {
    VectorClock clock;
    Candidates<Known> candidates;
  };

  RaisedOrder(H& host, unsigned threads) : host_(host), threads_(threads) {}

  void start(State& state, ThreadIndex) {
    state.clock = {static_cast<Serial*>(host_.allocate(threads_ * sizeof(Serial))), threads_};
    for (unsigned i = 0; i < threads_; ++i) state.clock.at[i] = 0;
    state.candidates.start(host_, threads_);
  }
  void stop(State& state) {
    host_.release(state.clock.at, threads_ * sizeof(Serial));
    state.candidates.stop(host_, threads_);
  }

  void skip(State&, int64_t) {}
  void begin(State& state, ThreadIndex index, Serial serial) { state.clock.at[index] = serial; }
  bool covers(const State& state, Event event) const { return state.clock.covers(event); }
  uint64_t time(const State& state, ThreadIndex index) const { return state.clock.at[index]; }

  template <Sink S>
  void settle(State& state, S& sink) {
    for (const auto& c : state.candidates) {
      sink.edge({c.event.thread(), c.event.time(), c.kind});
      state.clock.raise(c.event.thread(), c.event.time());
    }
    state.candidates.clear();
  }

  void finish(State&) {}
  void join_known(State&) {}
  void replace(State&, Known&) {}
  void retain(Known) {}
  void release(Known) {}

 private:
  H& host_;
  unsigned threads_;
};

// Stradal 4.1.3, line 7a: the tail of an edge is pushed down to where the source's thread is now, which no replay has
// to wait for longer than the recording did, and which implies more. If what the host knows of that thread is older
// than the source, the edge starts at the source as ever.
template <class Order, Host H, Others O>
class NonCritical : public Order {
 public:
  using State = typename Order::State;

  NonCritical(H& host, unsigned threads, O& others)
      : Order(host, threads), host_(host), others_(others), threads_(threads) {}

  template <Sink S>
  void settle(State& state, S& sink) {
    this->join_known(state);
    VectorClock now = {static_cast<Serial*>(host_.allocate(threads_ * sizeof(Serial))), threads_};
    for (const auto& c : state.candidates) {
      if (state.clock.covers(c.event)) continue;
      ThreadIndex source = c.event.thread();
      others_.current(source, now);
      Serial serial = now.at[source];
      if (serial > c.event.time()) {
        sink.edge({source, serial, EdgeKind::artificial});
        state.clock.join(now.at);
      } else {
        sink.edge({source, c.event.time(), c.kind});
        state.clock.raise(source, c.event.time());
      }
    }
    host_.release(now.at, threads_ * sizeof(Serial));
    state.candidates.clear();
  }

 private:
  H& host_;
  O& others_;
  unsigned threads_;
};

// Events are ordered by their Lamport times. A time equal to the clock is ordered, since the clock is incremented after
// the check, so the event gets a greater one. The compressed algorithm as printed (Stradal 4.1.6) increments before and
// would give conflicting events equal times, which no replay can tell apart; both increment after the check here.
template <Host H>
class LamportOrder {
 public:
  using Known = Nothing;
  struct State {
    uint64_t time;  // of the thread's last event
    Candidates<Known> candidates;
  };

  LamportOrder(H& host, unsigned threads) : host_(host), threads_(threads) {}

  void start(State& state, ThreadIndex) {
    state.time = 0;
    state.candidates.start(host_, threads_);
  }
  void stop(State& state) { state.candidates.stop(host_, threads_); }

  void skip(State& state, int64_t events) { state.time += static_cast<uint64_t>(events); }
  void begin(State&, ThreadIndex, Serial) {}
  bool covers(const State& state, Event event) const { return event.time() <= state.time; }
  uint64_t time(const State& state, ThreadIndex) const { return state.time; }

  // Stradal 4.1.5: every unordered reader is traced, then the writer if it is still unordered. A writer of one granule
  // is ordered before its readers; one of another granule may be after them, and then stands for them.
  template <Sink S>
  void settle(State& state, S& sink) {
    uint64_t last_read = 0;
    const Candidate<Known>* last_write = nullptr;
    for (const auto& c : state.candidates) {
      if (!c.event.wrote()) {
        if (c.event.time() > last_read) last_read = c.event.time();
      } else if (!last_write || c.event.time() > last_write->event.time()) {
        last_write = &c;
      }
    }
    uint64_t written = last_write ? last_write->event.time() : 0;
    for (const auto& c : state.candidates) {
      bool traced = c.event.wrote() ? &c == last_write && written >= last_read : c.event.time() > written;
      if (traced) sink.edge({c.event.thread(), c.event.time(), c.kind});
    }
    state.time = written > last_read ? written : last_read;
    state.candidates.clear();
  }

  void finish(State& state) { ++state.time; }
  void replace(State&, Known&) {}
  bool knows_no_more(const State&, Known) const { return false; }  // time goes on at every event
  void retain(Known) {}
  void release(Known) {}

 private:
  H& host_;
  unsigned threads_;
};

}  // namespace ana::algorithms
