// Barriers and semaphores.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/outcome.h"

namespace {

using namespace ana;

int errno_of(int result) { return result ? errno : 0; }

template <class Wait>
int wait_with(sem_t* semaphore, Wait wait) {
  int result = rare_outcome([&] {
    int outcome = without_holding(EAGAIN, [&] { return errno_of(ANA_REAL(sem_trywait)(semaphore)); },
                                  [&] { return errno_of(wait()); });
    if (!outcome) g_host->object_acquire(semaphore);
    return outcome;
  });
  if (result) errno = result;
  return result ? -1 : 0;
}

}  // namespace

// Who arrives comes after those who arrived before; who leaves comes after the last to arrive.
ANA_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (passive()) return ANA_REAL(pthread_barrier_wait)(barrier);
  leave_to_others(barrier);
  return rare_outcome([&] {
    int result;
    {
      Blocking blocking;
      result = ANA_REAL(pthread_barrier_wait)(barrier);
    }
    g_host->object_acquire(barrier);
    return result;
  });
}

ANA_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  if (passive()) return ANA_REAL(pthread_barrier_destroy)(barrier);
  return rare_outcome([&] {
    Blocking blocking;
    return ANA_REAL(pthread_barrier_destroy)(barrier);
  });
}

ANA_EXPORT int sem_wait(sem_t* semaphore) {
  if (passive()) return ANA_REAL(sem_wait)(semaphore);
  return wait_with(semaphore, [&] { return ANA_REAL(sem_wait)(semaphore); });
}

ANA_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  if (passive()) return ANA_REAL(sem_timedwait)(semaphore, until);
  return wait_with(semaphore, [&] { return ANA_REAL(sem_timedwait)(semaphore, until); });
}

ANA_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  if (passive()) return ANA_REAL(sem_clockwait)(semaphore, clock, until);
  return wait_with(semaphore, [&] { return ANA_REAL(sem_clockwait)(semaphore, clock, until); });
}

ANA_EXPORT int sem_trywait(sem_t* semaphore) {
  if (passive()) return ANA_REAL(sem_trywait)(semaphore);
  return rare_errno([&] {
    int result = ANA_REAL(sem_trywait)(semaphore);
    if (!result) g_host->object_acquire(semaphore);
    return result;
  });
}

ANA_EXPORT int sem_post(sem_t* semaphore) {
  if (passive()) return ANA_REAL(sem_post)(semaphore);
  return rare_errno([&] {
    g_host->object_release(semaphore, true);
    return ANA_REAL(sem_post)(semaphore);
  });
}

ANA_EXPORT int sem_getvalue(sem_t* semaphore, int* value) {
  if (passive()) return ANA_REAL(sem_getvalue)(semaphore, value);
  int now = rare_outcome([&] {
    int seen = 0;
    ANA_REAL(sem_getvalue)(semaphore, &seen);
    return seen;
  });
  access::write(value, sizeof(*value));
  *value = now;
  return 0;
}
