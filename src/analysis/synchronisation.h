// Which events of an execution happen before which, by the program's own synchronisation: the order of the recording does
// not count. Gets the events in their order; one thread of the tool uses it.
//
// Locks, semaphores, once: an acquire comes after all releases so far. Read locks come only after those that held the lock
// alone. Who leaves a barrier comes after all that arrived for the same passage. Atomic accesses are those of C++20: an
// acquire comes after the release that it reads from, or that heads its release sequence; a store that does not release
// ends the sequence, an update carries it on; fences as if their neighbours had acquired and released.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/known_order.h"
#include "analysis/object_table.h"
#include "analysis/vector_time.h"
#include "trace/live_reference.h"

namespace ana::races {

// Whether it may change what anybody knows. What instructions tell of relaxed accesses does not: it is told only where there
// are no fences, or where the order is known.
bool is_synchronisation(const LiveReference& event);
// The thread's time grows.
bool is_release(const LiveReference& event);

class Synchronisation {
 public:
  Synchronisation() { add_thread(); }  // the first thread

  // A thread comes into being in a slot. Threads that use a slot one after the other are one thread here if the order
  // among them is known to the creator.
  Thread create(Thread creator, uint32_t slot);
  Thread in_slot(uint32_t slot) const { return slot < slots_.size() ? slots_[slot] : 0; }
  void join(Thread joiner, uint32_t slot) { learn(joiner, threads_[in_slot(slot)].clock); }

  void acquire_object(Thread thread, uint64_t object, Told how);
  // `value`: of barriers, as told.
  void release_object(Thread thread, uint64_t object, Told how, uint64_t value = 0);
  // Flags: ANA_SITE_. Of an access, to be called before it is looked at if it acquires, and after it if it releases.
  void atomic_before(Thread thread, uint64_t address, uint32_t flags);
  void atomic_after(Thread thread, uint64_t address, uint32_t flags);
  void fence(Thread thread, uint32_t flags);
  // Any of these but for accesses; nothing if it is something else. A thread that is created is then in its slot.
  void take(Thread thread, const LiveReference& event);
  // From now on what happens is known. Of events that may change what anybody knows, learn() is to be called before they
  // are looked at and pass() after that, instead of the above.
  void follow(const KnownOrder& order);
  bool follows() const { return order_ != nullptr; }
  void learn(uint32_t slot, const LiveReference& event);
  void pass(uint32_t slot, const LiveReference& event);
  // It was told of other events than those that are known.
  bool is_astray() const { return astray_; }
  // Where what a thread learns is put from now on.
  void note_learned(std::vector<Epoch>* to) { learned_ = to; }
  // Memory that is another object from now on.
  void forget(uint64_t first, uint64_t last);

  const VectorTime& clock(Thread thread) const { return threads_[thread].clock; }
  Epoch now(Thread thread) const { return {thread, threads_[thread].clock.of(thread)}; }
  // Whether the clock of another thread has ever had this time of the thread's, and how many such there are.
  bool is_known(Epoch epoch) const {
    return epoch.thread < known_.size() && epoch.time < known_[epoch.thread].size() && known_[epoch.thread][epoch.time];
  }
  uint64_t known_times() const { return known_times_; }
  std::vector<uint32_t> known_times_of(Thread thread) const;
  uint32_t threads() const { return static_cast<uint32_t>(threads_.size()); }

 private:
  struct State {
    VectorTime clock;
    VectorTime at_release_fence;   // clock of the last fence that releases
    VectorTime for_acquire_fence;  // what loads that do not acquire have read from
  };
  struct Passage {
    VectorTime arrived;
    uint64_t arrivals = 0, departures = 0;
  };
  struct Object {
    VectorTime released;         // by those that had it alone, or by atomic accesses
    VectorTime released_shared;  // by readers
    bool is_shared_lock = false, alone = false;  // a lock for readers and writers; a writer has it
    std::vector<std::unique_ptr<Passage>> passages;  // of barriers: those not left by everybody
    std::unordered_map<Thread, Passage*> waits;
  };

  Thread add_thread();
  // What the thread knows from now on as well.
  void learn(Thread thread, const VectorTime& from) {
    threads_[thread].clock.join(from, [this](Epoch epoch) {
      note_known(epoch);
      if (learned_) learned_->push_back(epoch);
    });
  }
  void start_known(Thread creator, uint32_t slot);
  void note_known(Epoch epoch);
  void advance(Thread thread) { threads_[thread].clock.set(thread, threads_[thread].clock.of(thread) + 1); }
  void arrive(Thread thread, Object& barrier, uint64_t size);
  void leave(Thread thread, Object& barrier);

  std::vector<State> threads_;
  std::vector<Thread> slots_;
  std::vector<std::vector<bool>> known_;  // by threads and their times
  uint64_t known_times_ = 0;
  ObjectTable<Object> objects_;
  std::vector<Epoch>* learned_ = nullptr;
  const KnownOrder* order_ = nullptr;
  struct Followed {
    size_t step = 0, learned = 0, start = 0;
  };
  std::vector<Followed> followed_;  // of each slot, how far
  bool astray_ = false;
};

}  // namespace ana::races
