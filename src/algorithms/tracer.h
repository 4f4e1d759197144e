// The six adaptive algorithms of Stradal 1994, composed of a history and an order; Netzer 1993 is OptimalVector.
//
// A Tracer is shared by all threads of a host. A Thread belongs to one thread; a Granule to whoever holds its lock.
// Granules are of one small size for any number of threads; vectors and large read sets come from the host's memory.
#pragma once
#include "algorithms/clocks.h"
#include "algorithms/histories.h"

namespace ana::algorithms {

template <Host H, template <class, Host> class History, class Order>
class Tracer {
 public:
  using Granule = typename History<Order, H>::Granule;
  struct Thread {
    ThreadIndex index;
    Serial serial;  // of the present event
    typename Order::State state;
  };

  static constexpr size_t granule_bytes(unsigned /*threads*/) { return sizeof(Granule); }

  // `rest` is for non-critical edges: who knows the other threads.
  template <class... Rest>
  Tracer(H& host, unsigned threads, Rest&... rest)
      : order_(host, threads, rest...), history_(host, order_), threads_(threads) {}

  void start(Thread& thread, ThreadIndex index) {
    thread.index = index;
    thread.serial = 0;
    order_.start(thread.state, index);
  }
  void stop(Thread& thread) { order_.stop(thread.state); }

  // For hosts that number more than the events they trace: the next one is `serial`, what lies before it touched nothing.
  // The number may also be that of the last event: both are then one, for the order of threads.
  void skip_to(Thread& thread, Serial serial) {
    order_.skip(thread.state, static_cast<int64_t>(serial - 1 - thread.serial));
    thread.serial = serial - 1;
  }
  void begin(Thread& thread) { order_.begin(thread.state, thread.index, ++thread.serial); }
  void check(Thread& thread, const Granule& granule, AccessKind kind) {
    history_.check(thread.state, granule, writes(kind));
  }
  template <Sink S>
  void settle(Thread& thread, S& sink) {
    if (!thread.state.candidates.empty()) [[unlikely]]
      order_.settle(thread.state, sink);
    order_.finish(thread.state);
  }
  void update(Thread& thread, Granule& granule, AccessKind kind) {
    history_.update(thread.state, granule, {thread.index, order_.time(thread.state, thread.index), writes(kind)});
  }

  // An event that touches one granule.
  template <Sink S>
  void access(Thread& thread, Granule& granule, AccessKind kind, S& sink) {
    begin(thread);
    check(thread, granule, kind);
    settle(thread, sink);
    update(thread, granule, kind);
  }

  // Before settle(): events that the present one depends on and that nothing orders yet.
  unsigned dependences(const Thread& thread) const { return thread.state.candidates.size(); }
  // The time of the thread's last event: its serial, or its Lamport time.
  uint64_t time(const Thread& thread) const { return order_.time(thread.state, thread.index); }

  void copy(Granule& to, const Granule& from) { history_.copy(to, from); }
  void forget(Granule& granule) { history_.forget(granule); }
  unsigned threads() const { return threads_; }

 private:
  Order order_;
  History<Order, H> history_;
  unsigned threads_;
};

template <Host H>
using OptimalVector = Tracer<H, StrongHistory, VectorOrder<H>>;
template <Host H, Others O>
using OptimalNonCritical = Tracer<H, StrongHistory, NonCritical<VectorOrder<H>, H, O>>;
template <Host H>
using OptimalLamport = Tracer<H, StrongHistory, LamportOrder<H>>;
template <Host H>
using CompressedVector = Tracer<H, WeakHistory, RaisedOrder<H>>;
template <Host H, Others O>
using CompressedNonCritical = Tracer<H, WeakHistory, NonCritical<RaisedOrder<H>, H, O>>;
template <Host H>
using CompressedLamport = Tracer<H, WeakHistory, LamportOrder<H>>;

}  // namespace ana::algorithms
