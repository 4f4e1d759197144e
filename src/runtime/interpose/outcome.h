// The two shapes that almost every synchronisation wrapper has.
#pragma once
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/interpose/runtime.h"

namespace ana {

inline bool may_have_outcome() {
  uint64_t now, next;
  asm volatile("movq %%gs:%c2, %0\n\tmovq %%gs:%c3, %1"
               : "=r"(now), "=r"(next)
               : "i"(ANA_GS_COUNT), "i"(offsetof(SlotShared, outcome_at))
               : "memory");
  return now == next;
}

// Replay: the recorded outcome. Nothing real is run, unless the recorded thread crashed in it: on a lock that is gone, say.
template <class Real>
int recorded_outcome(Real real) {
  if (!may_have_outcome()) return 0;
  if (g_host->next_is(kOpOutcome)) return static_cast<int>(g_host->get(kOpOutcome, nullptr, 0));
  return g_host->crashed_here() ? real() : 0;
}

// Record: runs `real`, which returns the outcome, then `after` with it. Replay: `after` with the recorded outcome.
// Outcomes other than 0 are logged; 0 is what is assumed.
template <class Real, class After>
int rare_outcome(Real real, After after) {
  Operation operation;
  if (replaying()) {
    int result = recorded_outcome(real);
    after(result);
    return result;
  }
  int result = real();
  after(result);
  if (result) g_host->put(kOpOutcome, result, nullptr, 0);
  return result;
}

template <class Real>
int rare_outcome(Real real) {
  return rare_outcome(real, [](int) {});
}

inline void acquire_object(const void* object, Told as) {
  if (!g_host->is_plain_replay) g_host->object_acquire(object, as);
}
inline void release_object(const void* object, bool hand_over) {
  if (!g_host->is_plain_replay) g_host->object_release(object, hand_over, Told::kRelease);
}

inline WantedKind kind_of(const pthread_mutex_t*) { return WantedKind::kMutex; }
inline WantedKind kind_of(const pthread_rwlock_t*) { return WantedKind::kReadWriteLock; }
inline WantedKind kind_of(const int*) { return WantedKind::kSpinLock; }
inline WantedKind kind_of(const pthread_cond_t*) { return WantedKind::kCondition; }
inline WantedKind kind_of(const sem_t*) { return WantedKind::kSemaphore; }
inline WantedKind kind_of(const pthread_barrier_t*) { return WantedKind::kBarrier; }

// Replay: what the thread is about to take, for a debugger that finds it waiting there.
class Wanting {
 public:
  template <class Object>
  explicit Wanting(const Object* object) {
    set(reinterpret_cast<uint64_t>(object) | static_cast<uint64_t>(kind_of(object)) << kWantedKindShift);
  }
  explicit Wanting(int slot_to_end) { set(static_cast<uint64_t>(slot_to_end + 1)); }
  ~Wanting() { set(0); }
  Wanting(const Wanting&) = delete;

 private:
  static void set(uint64_t what) {
    if (replaying()) asm volatile("movq %0, %%gs:%c1" : : "r"(what), "i"(offsetof(SlotShared, locks.wants)) : "memory");
  }
};

// Takes the object over if the outcome is 0 or EOWNERDEAD.
template <class Object, class Real>
int taking_outcome(const Object* object, Real real, Told as = Told::kAcquire) {
  Wanting wanting(object);
  return rare_outcome(real, [object, as](int result) {
    if (result == 0 || result == EOWNERDEAD) acquire_object(object, as);
  });
}

// Takes it over whatever the outcome is, as after a wait that ended without success.
template <class Object, class Real>
int always_taking_outcome(const Object* object, Real real, Told as) {
  Wanting wanting(object);
  return rare_outcome(real, [object, as](int) { acquire_object(object, as); });
}

// Leaves the object to others before the real thing is done, which is when they could take it.
template <class Real>
int leaving_outcome(const void* object, bool hand_over, Real real) {
  Operation operation;
  release_object(object, hand_over);
  if (replaying()) return recorded_outcome(real);
  int result = real();
  if (result) g_host->put(kOpOutcome, result, nullptr, 0);
  return result;
}

// Functions that return -1 and set errno, as ones that return it, and back.
template <class Real>
auto returning_errno(Real real) {
  return [real] { return real() ? errno : 0; };
}
inline int setting_errno(int result) {
  if (result) errno = result;
  return result ? -1 : 0;
}

// What a thread leaves to others before it waits for them, as an operation of its own: an event of an algorithm's trace is
// known by its count, so leaving and taking must not have the same.
inline void leave_to_others(const void* object, Told as = Told::kRelease) {
  Operation operation;
  g_host->object_release(object, true, as);  // also in a replay: it looks at the object, which may not be there
}

// Tries without blocking, then with everything given up. `attempt` returns `busy` if it would have to wait.
template <class Attempt, class Wait>
int without_holding(int busy, Attempt attempt, Wait wait) {
  int result = attempt();
  if (result != busy) return result;
  Blocking blocking;
  return wait();
}

// Blocking, in an operation: waits as the C library's own functions do, so that handlers are entered meanwhile.
inline void futex_in_wait(uint32_t* word, uint32_t seen, const timespec* timeout = nullptr) {
  ANA_REAL_AS(long(long, ...), "syscall", nullptr)(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen, timeout);
}

}  // namespace ana
