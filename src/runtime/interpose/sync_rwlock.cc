// Read-write locks. Readers release in a chain, so that a writer comes after all of them.
#include <pthread.h>
#include <time.h>

#include "runtime/interpose/outcome.h"

namespace {

using namespace ana;

template <class Attempt, class Wait>
int lock_with(pthread_rwlock_t* lock, Told as, Attempt attempt, Wait wait) {
  return taking_outcome(lock, [&] { return without_holding(EBUSY, attempt, wait); }, as);
}

int try_read(pthread_rwlock_t* lock) { return ANA_REAL(pthread_rwlock_tryrdlock)(lock); }
int try_write(pthread_rwlock_t* lock) { return ANA_REAL(pthread_rwlock_trywrlock)(lock); }

}  // namespace

#define ANA_RWLOCK(name, as, attempt, parameters, arguments)                                             \
  ANA_EXPORT int name parameters {                                                                       \
    if (passive()) return ANA_REAL(name) arguments;                                                      \
    return lock_with(lock, Told::as, [&] { return attempt(lock); }, [&] { return ANA_REAL(name) arguments; }); \
  }

ANA_RWLOCK(pthread_rwlock_rdlock, kAcquireShared, try_read, (pthread_rwlock_t * lock), (lock))
ANA_RWLOCK(pthread_rwlock_wrlock, kAcquireAlone, try_write, (pthread_rwlock_t * lock), (lock))
ANA_RWLOCK(pthread_rwlock_timedrdlock, kAcquireShared, try_read, (pthread_rwlock_t * lock, const timespec* until), (lock, until))
ANA_RWLOCK(pthread_rwlock_timedwrlock, kAcquireAlone, try_write, (pthread_rwlock_t * lock, const timespec* until), (lock, until))
ANA_RWLOCK(pthread_rwlock_clockrdlock, kAcquireShared, try_read, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until),
           (lock, clock, until))
ANA_RWLOCK(pthread_rwlock_clockwrlock, kAcquireAlone, try_write, (pthread_rwlock_t * lock, clockid_t clock, const timespec* until),
           (lock, clock, until))

ANA_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  return passive() ? try_read(lock) : taking_outcome(lock, [&] { return try_read(lock); }, Told::kAcquireShared);
}

ANA_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  return passive() ? try_write(lock) : taking_outcome(lock, [&] { return try_write(lock); }, Told::kAcquireAlone);
}

ANA_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (passive()) return ANA_REAL(pthread_rwlock_unlock)(lock);
  return leaving_outcome(lock, false, [&] { return ANA_REAL(pthread_rwlock_unlock)(lock); });
}
