// Octet's states of objects (Bond et al. 2013): a thread that has what it needs goes on without synchronisation, and
// only changes of state are dependences. As a recorder it traces an edge at each of them; Jiang 2015 counts them:
// which share of the accesses would have been free, which an atomic operation or a fence, which a round trip to
// another thread.
//
//   WrEx T    T may read and write          RdEx T    T may read
//   RdSh c    all may read that have passed fence c
//
// An edge starts where the other thread is now, as that thread would answer the request. Of a conflict it comes from
// the owner, or from all threads if the state was RdSh. An upgrade to RdSh comes after the reader and after the last
// upgrade of any granule, so that upgrades are in the order of their counts; a fence comes after the last upgrade.
//
// One event: begin(), check() of each granule, settle(), update() of each granule, as in event.h; a granule belongs to
// whoever holds its lock. What upgrades share is used under the host's lock.
#pragma once
#include "algorithms/candidates.h"

namespace ana::algorithms {

enum class Transition : uint8_t { same, alloc, upgrade, fence, conflict };
constexpr unsigned kTransitions = 5;
inline constexpr const char* kTransitionNames[kTransitions] = {"same", "alloc", "upgrade", "fence", "conflict"};

// done(): the last event of a thread that is complete; 0: none. The lock is for a few instructions.
template <class T>
concept OctetHost = Host<T> && requires(T& host, ThreadIndex thread) {
  static_cast<Serial>(host.done(thread));
  host.lock_shared_state();
  host.unlock_shared_state();
};

template <OctetHost H>
class Octet {
 public:
  struct Thread {
    ThreadIndex index;
    Serial serial;
    uint64_t fences;  // the last RdSh count that it has passed
    uint64_t upgrades, next_count, fence;  // of the present event: to RdSh, their counts, the fence that it needs
    Transition worst;
    Candidates<Nothing> candidates;
  };
  struct Granule {
    uint64_t bits;  // 0: not allocated; state in bits 0-1, then a thread or a count
  };
  static constexpr size_t granule_bytes(unsigned /*threads*/) { return sizeof(Granule); }

  Octet(H& host, unsigned threads) : host_(host), threads_(threads) {}

  void start(Thread& thread, ThreadIndex index) {
    thread.index = index;
    thread.serial = thread.fences = 0;
    thread.candidates.start(host_, threads_);
  }
  void stop(Thread& thread) { thread.candidates.stop(host_, threads_); }

  void skip_to(Thread& thread, Serial serial) { thread.serial = serial - 1; }
  void begin(Thread& thread) {
    ++thread.serial;
    thread.upgrades = thread.fence = 0;
    thread.worst = Transition::same;
  }

  void check(Thread& thread, const Granule& granule, AccessKind kind) {
    Transition transition = transition_of(thread, granule, kind);
    if (transition > thread.worst) thread.worst = transition;
    uint64_t who = granule.bits >> 2;
    bool was_shared = state_of(granule) == State::read_shared;
    if (transition == Transition::fence) {
      if (who > thread.fence) thread.fence = who;
    } else if (transition == Transition::conflict && was_shared) {
      for (ThreadIndex i = 0; i < threads_; ++i) depend_on(thread, i, kind);
    } else if (transition == Transition::conflict) {
      depend_on(thread, static_cast<ThreadIndex>(who), kind);
    } else if (transition == Transition::upgrade && !writes(kind)) {
      depend_on(thread, static_cast<ThreadIndex>(who), kind);
      ++thread.upgrades;
    }
  }

  template <Sink S>
  void settle(Thread& thread, S& sink) {
    if (thread.upgrades || thread.fence) pass_upgrades(thread);
    for (const auto& c : thread.candidates) sink.edge({c.event.thread(), c.event.time(), EdgeKind::artificial});
    thread.candidates.clear();
  }

  void update(Thread& thread, Granule& granule, AccessKind kind) {
    switch (transition_of(thread, granule, kind)) {
      case Transition::same:
      case Transition::fence: return;
      case Transition::alloc: return become(granule, State::write_exclusive, thread.index);
      case Transition::upgrade:
        if (writes(kind)) return become(granule, State::write_exclusive, thread.index);
        thread.fences = thread.next_count;
        return become(granule, State::read_shared, thread.next_count++);
      case Transition::conflict:
        return become(granule, writes(kind) ? State::write_exclusive : State::read_exclusive, thread.index);
    }
  }

  // An event that touches one granule.
  template <Sink S>
  void access(Thread& thread, Granule& granule, AccessKind kind, S& sink) {
    begin(thread);
    check(thread, granule, kind);
    settle(thread, sink);
    update(thread, granule, kind);
  }

  unsigned dependences(const Thread& thread) const { return thread.candidates.size(); }
  // The costliest of the present event.
  Transition transition(const Thread& thread) const { return thread.worst; }
  uint64_t time(const Thread& thread) const { return thread.serial; }
  void copy(Granule& to, const Granule& from) { to = from; }
  void forget(Granule& granule) { granule = {}; }
  unsigned threads() const { return threads_; }

 private:
  enum class State : uint64_t { none, write_exclusive, read_exclusive, read_shared };
  static State state_of(const Granule& granule) { return static_cast<State>(granule.bits & 3); }
  static void become(Granule& granule, State state, uint64_t who) {
    granule.bits = static_cast<uint64_t>(state) | who << 2;
  }

  static Transition transition_of(const Thread& thread, const Granule& granule, AccessKind kind) {
    State state = state_of(granule);
    uint64_t who = granule.bits >> 2;
    if (state == State::none) return Transition::alloc;
    if (state == State::read_shared) {
      if (writes(kind)) return Transition::conflict;
      return thread.fences >= who ? Transition::same : Transition::fence;
    }
    if (who != thread.index) {
      return state == State::read_exclusive && !writes(kind) ? Transition::upgrade : Transition::conflict;
    }
    return writes(kind) && state == State::read_exclusive ? Transition::upgrade : Transition::same;
  }

  void depend_on(Thread& thread, ThreadIndex other, AccessKind kind) {
    if (other == thread.index) return;
    if (Serial serial = host_.done(other)) thread.candidates.add({other, serial, true}, writes(kind), {});
  }

  void pass_upgrades(Thread& thread) {
    host_.lock_shared_state();
    if (last_upgrade_ && last_upgrade_.thread() != thread.index) thread.candidates.add(last_upgrade_, false, {});
    thread.next_count = shared_ + 1;
    shared_ += thread.upgrades;
    if (thread.upgrades) last_upgrade_ = Event(thread.index, thread.serial, true);
    host_.unlock_shared_state();
    if (thread.fence > thread.fences) thread.fences = thread.fence;
  }

  H& host_;
  unsigned threads_;
  uint64_t shared_ = 0;  // gRdShCnt
  Event last_upgrade_;   // whose count that is
};

}  // namespace ana::algorithms
