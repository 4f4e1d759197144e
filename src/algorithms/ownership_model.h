// The default recorder (runtime/host/order/ownership.h) as a model for the simulator: lines are owned, a thread's epoch
// ends when another wants what it has used in it, and an edge goes from where it ended. Frontier reduction is over
// epochs: whatever a thread did in an epoch that is known to have ended is known.
//
// The model has no leases, tenure or grouping of accesses by the compiler, and a holder yields at once, between its
// last event and its next: with those the recorder's epochs are longer, and its edges fewer.
//
// One thread runs it all; it looks into the other threads.
#pragma once
#include "algorithms/histories.h"

namespace ana::algorithms {

template <Host H>
class OwnershipModel {
  struct Order;

 public:
  struct State {
    ThreadIndex index;
    VectorClock clock;  // of epochs
    Candidates<Nothing> candidates;
  };
  struct Thread {
    ThreadIndex index;
    Serial serial;
    State state;
    uint64_t epoch;
    // What it published when its last epoch ended.
    Serial published_serial;
    uint64_t published_epoch;
    VectorClock published_clock;
  };
  using Granule = typename StrongHistory<Order, H>::Granule;
  static constexpr size_t granule_bytes(unsigned /*threads*/) { return sizeof(Granule); }

  OwnershipModel(H& host, unsigned threads)
      : host_(host), threads_(threads), order_{host, threads}, history_(host, order_) {
    all_ = static_cast<Thread**>(host.allocate(threads * sizeof(Thread*)));
  }
  ~OwnershipModel() { host_.release(all_, threads_ * sizeof(Thread*)); }

  void start(Thread& thread, ThreadIndex index) {
    thread.index = index;
    thread.serial = 0;
    thread.epoch = 1;
    thread.published_serial = thread.published_epoch = 0;
    thread.published_clock = make_clock();
    thread.state.index = index;
    thread.state.clock = make_clock();
    thread.state.candidates.start(host_, threads_);
    all_[index] = &thread;
  }
  void stop(Thread& thread) {
    host_.release(thread.published_clock.at, threads_ * sizeof(Serial));
    host_.release(thread.state.clock.at, threads_ * sizeof(Serial));
    thread.state.candidates.stop(host_, threads_);
  }

  void begin(Thread& thread) {
    ++thread.serial;
    thread.state.clock.at[thread.index] = thread.epoch;
  }
  void check(Thread& thread, const Granule& granule, AccessKind kind) {
    history_.check(thread.state, granule, writes(kind));
  }
  template <Sink S>
  void settle(Thread& thread, S& sink) {
    if (thread.state.candidates.empty()) return;
    // Whoever still owns something of it yields first; then all have published.
    for (const auto& c : thread.state.candidates) {
      Thread& owner = *all_[c.event.thread()];
      if (owner.epoch == c.event.time()) end_epoch(owner);
    }
    for (const auto& c : thread.state.candidates) {
      if (thread.state.clock.covers(c.event)) continue;
      Thread& owner = *all_[c.event.thread()];
      thread.state.clock.join(owner.published_clock.at);
      thread.state.clock.raise(owner.index, owner.published_epoch);
      sink.edge({owner.index, owner.published_serial, c.kind});
    }
    thread.state.candidates.clear();
  }
  void update(Thread& thread, Granule& granule, AccessKind kind) {
    history_.update(thread.state, granule, {thread.index, thread.epoch, writes(kind)});
  }
  template <Sink S>
  void access(Thread& thread, Granule& granule, AccessKind kind, S& sink) {
    begin(thread);
    check(thread, granule, kind);
    settle(thread, sink);
    update(thread, granule, kind);
  }

  uint64_t time(const Thread& thread) const { return thread.serial; }
  void copy(Granule& to, const Granule& from) { history_.copy(to, from); }
  void forget(Granule& granule) { history_.forget(granule); }
  unsigned threads() const { return threads_; }

 private:
  // The order that the history asks: over epochs, with nothing kept beside the name of an epoch.
  struct Order {
    using Known = Nothing;
    using State = OwnershipModel::State;
    H& host;
    unsigned threads;
    bool covers(const State& state, Event event) const { return state.clock.covers(event); }
    void replace(State&, Known&) {}
    bool knows_no_more(const State&, Known) const { return false; }
    void retain(Known) {}
    void release(Known) {}
  };

  VectorClock make_clock() {
    VectorClock clock{static_cast<Serial*>(host_.allocate(threads_ * sizeof(Serial))), threads_};
    for (unsigned i = 0; i < threads_; ++i) clock.at[i] = 0;
    return clock;
  }

  void end_epoch(Thread& owner) {
    owner.published_serial = owner.serial;
    owner.published_epoch = owner.epoch;
    for (unsigned i = 0; i < threads_; ++i) owner.published_clock.at[i] = owner.state.clock.at[i];
    ++owner.epoch;
  }

  H& host_;
  unsigned threads_;
  Order order_;
  StrongHistory<Order, H> history_;
  Thread** all_;
};

}  // namespace ana::algorithms
