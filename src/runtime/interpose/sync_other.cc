// Barriers and semaphores.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "runtime/interpose/cancellation.h"
#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/outcome.h"

namespace {

using namespace ana;

template <class Wait>
int wait_with(sem_t* semaphore, Wait wait) {
  auto attempt = returning_errno([=] { return ANA_REAL(sem_trywait)(semaphore); });
  auto real = [&] { return without_holding(EAGAIN, attempt, returning_errno(wait)); };
  Wanting wanting(semaphore);
  return setting_errno(cancellable_outcome(nullptr, real, [semaphore](int result) {
    if (result == 0) acquire_object(semaphore, Told::kAcquire);
  }));
}

}  // namespace

// Who arrives comes after those who arrived before; who leaves comes after the last to arrive.
ANA_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (passive()) return ANA_REAL(pthread_barrier_wait)(barrier);
  leave_to_others(barrier, Told::kArrive);
  return always_taking_outcome(barrier, [&] {
    Blocking blocking;
    return ANA_REAL(pthread_barrier_wait)(barrier);
  }, Told::kLeave);
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
  return setting_errno(
      taking_outcome(semaphore, returning_errno([=] { return ANA_REAL(sem_trywait)(semaphore); })));
}

ANA_EXPORT int sem_post(sem_t* semaphore) {
  if (passive()) return ANA_REAL(sem_post)(semaphore);
  return setting_errno(
      leaving_outcome(semaphore, true, returning_errno([=] { return ANA_REAL(sem_post)(semaphore); })));
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
