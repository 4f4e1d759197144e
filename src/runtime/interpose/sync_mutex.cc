// pthread mutexes of all types and spin locks. Replay does not lock: the recorded order is enforced, so the lock would be
// free; what remains is the outcome.
#include <pthread.h>
#include <time.h>

#include "runtime/interpose/outcome.h"

namespace {

using namespace ana;

template <class Wait>
int lock_with(pthread_mutex_t* mutex, Wait wait) {
  return taking_outcome(mutex, [&] {
    return without_holding(EBUSY, [&] { return ANA_REAL(pthread_mutex_trylock)(mutex); }, wait);
  });
}

}  // namespace

ANA_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (passive()) return ANA_REAL(pthread_mutex_lock)(mutex);
  return lock_with(mutex, [&] { return ANA_REAL(pthread_mutex_lock)(mutex); });
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

ANA_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) {
  if (passive()) return ANA_REAL(pthread_spin_lock)(lock);
  auto attempt = [&] { return ANA_REAL(pthread_spin_trylock)(lock); };
  return taking_outcome(const_cast<int*>(lock), [&] {
    return without_holding(EBUSY, attempt, [&] { return ANA_REAL(pthread_spin_lock)(lock); });
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
