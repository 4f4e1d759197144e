// pthread mutexes of all types and spin locks. Replay does not lock: the recorded order is enforced, so the lock would be
// free; what remains is the outcome.
#include <pthread.h>
#include <time.h>

#include "runtime/interpose/outcome.h"

namespace {

using namespace ana;

// A mutex that two threads hammer would go to the other at each turn, which costs a sleep, a wakeup and an edge each
// time. So who finds it taken looks again a few times before it sleeps, at growing intervals, and at longer ones if it
// has had to wait a moment ago already: the owner meanwhile takes it again and again at next to no cost. Long intervals are
// slept through, without asking the owner to wake anybody. In cycles.
constexpr uint64_t kFirstInterval = 1 << 12, kLastInterval = 1 << 16, kMomentAgo = 1 << 20, kSleptThrough = 1 << 15;
constexpr int kLooks = 4;
__thread uint64_t t_last_wait __attribute__((tls_model("initial-exec")));
__thread uint64_t t_interval __attribute__((tls_model("initial-exec")));

// EBUSY if it is taken, or cannot be tried: the C library's trylock of a robust mutex that nobody can use any more
// takes it and keeps it, so that who waits for it would wait for ever.
int attempt(pthread_mutex_t* mutex) {
  constexpr int kRobust = 16;  // PTHREAD_MUTEX_ROBUST_NORMAL_NP of the C library
  return mutex->__data.__kind & kRobust ? EBUSY : ANA_REAL(pthread_mutex_trylock)(mutex);
}

int look_again(pthread_mutex_t* mutex) {
  uint64_t now = __builtin_ia32_rdtsc();
  bool again = now - t_last_wait < kMomentAgo;
  uint64_t interval = again && t_interval ? t_interval * 2 : kFirstInterval;
  if (interval > kLastInterval) interval = kLastInterval;
  t_interval = interval;
  int result = EBUSY;
  for (int i = 0; i < kLooks && result == EBUSY; ++i, interval *= 2) {
    if (interval >= kSleptThrough) g_host->doze(interval / 2);  // a cycle is somewhat less than half a nanosecond
    for (uint64_t start = now; now - start < interval; now = __builtin_ia32_rdtsc()) __builtin_ia32_pause();
    result = attempt(mutex);
  }
  t_last_wait = now;
  return result;
}

// A handler cannot be entered in a thread that spins, but in one that waits: so who has spun for long waits a moment at
// a time, on a word that nobody wakes.
constexpr int kSpins = 1024, kPauses = 4;
constexpr long kMoment = 100'000;  // nanoseconds

int spin(pthread_spinlock_t* lock) {
  for (;;) {
    for (int i = 0; i < kSpins; ++i) {
      for (int pauses = 0; pauses < kPauses; ++pauses) __builtin_ia32_pause();
      if (!ANA_REAL(pthread_spin_trylock)(lock)) return 0;
    }
    uint32_t word = 0;
    timespec moment{0, kMoment};
    futex_in_wait(&word, 0, &moment);
  }
}

template <class Wait>
int lock_with(pthread_mutex_t* mutex, Wait wait) {
  return taking_outcome(mutex, [&] {
    return without_holding(EBUSY, [&] { return attempt(mutex); }, wait);
  });
}

}  // namespace

ANA_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (passive()) return ANA_REAL(pthread_mutex_lock)(mutex);
  return lock_with(mutex, [&] {
    int result = look_again(mutex);
    return result == EBUSY ? ANA_REAL(pthread_mutex_lock)(mutex) : result;
  });
}

ANA_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  if (passive()) return ANA_REAL(pthread_mutex_timedlock)(mutex, until);
  return lock_with(mutex, [&] { return ANA_REAL(pthread_mutex_timedlock)(mutex, until); });
}

ANA_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  if (passive()) return ANA_REAL(pthread_mutex_clocklock)(mutex, clock, until);
  return lock_with(mutex, [&] { return ANA_REAL(pthread_mutex_clocklock)(mutex, clock, until); });
}

ANA_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (passive()) return ANA_REAL(pthread_mutex_trylock)(mutex);
  return taking_outcome(mutex, [&] { return ANA_REAL(pthread_mutex_trylock)(mutex); });
}

ANA_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (passive()) return ANA_REAL(pthread_mutex_unlock)(mutex);
  return leaving_outcome(mutex, false, [&] { return ANA_REAL(pthread_mutex_unlock)(mutex); });
}

ANA_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  if (passive()) return ANA_REAL(pthread_mutex_destroy)(mutex);
  return rare_outcome([&] { return ANA_REAL(pthread_mutex_destroy)(mutex); });
}

// Looks who holds the mutex, which in replay nobody does.
ANA_EXPORT int pthread_mutex_consistent(pthread_mutex_t* mutex) {
  if (passive()) return ANA_REAL(pthread_mutex_consistent)(mutex);
  return rare_outcome([&] { return ANA_REAL(pthread_mutex_consistent)(mutex); });
}

ANA_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) {
  if (passive()) return ANA_REAL(pthread_spin_lock)(lock);
  auto attempt = [&] { return ANA_REAL(pthread_spin_trylock)(lock); };
  return taking_outcome(const_cast<int*>(lock), [&] {
    return without_holding(EBUSY, attempt, [&] { return spin(lock); });
  });
}

ANA_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (passive()) return ANA_REAL(pthread_spin_trylock)(lock);
  return taking_outcome(const_cast<int*>(lock), [&] { return ANA_REAL(pthread_spin_trylock)(lock); });
}

ANA_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  if (passive()) return ANA_REAL(pthread_spin_unlock)(lock);
  return leaving_outcome(const_cast<int*>(lock), false, [&] { return ANA_REAL(pthread_spin_unlock)(lock); });
}
