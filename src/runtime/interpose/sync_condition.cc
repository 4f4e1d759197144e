// Condition variables. Waiting is: release the mutex, take it again later. Who was woken by whom need not be known: the
// order of the mutex is.
#include <pthread.h>
#include <time.h>

#include "runtime/interpose/cancellation.h"
#include "runtime/interpose/outcome.h"

// The functions exist twice in the C library; the old ones have other structures.
#define REAL_CONDITION(fn) ANA_REAL_AS(decltype(fn), #fn, "GLIBC_2.3.2")

namespace {

using namespace ana;

template <class Wait>
int wait_with(pthread_cond_t* condition, pthread_mutex_t* mutex, Wait wait) {
  cancellation_point();  // with the mutex
  leave_to_others(mutex);
  auto real = [&] {
    Blocking blocking;
    return wait();
  };
  Wanting wanting(condition);
  return cancellable_outcome(condition, real, [mutex](int) { acquire_object(mutex, Told::kAcquire); });
}

}  // namespace

ANA_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (passive()) return REAL_CONDITION(pthread_cond_wait)(condition, mutex);
  return wait_with(condition, mutex, [&] { return REAL_CONDITION(pthread_cond_wait)(condition, mutex); });
}

ANA_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  if (passive()) return REAL_CONDITION(pthread_cond_timedwait)(condition, mutex, until);
  return wait_with(condition, mutex, [&] { return REAL_CONDITION(pthread_cond_timedwait)(condition, mutex, until); });
}

ANA_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* until) {
  if (passive()) return ANA_REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
  return wait_with(condition, mutex, [&] { return ANA_REAL(pthread_cond_clockwait)(condition, mutex, clock, until); });
}

ANA_EXPORT int pthread_cond_signal(pthread_cond_t* condition) {
  if (replaying() && !g_host->crashed_here()) return 0;
  return REAL_CONDITION(pthread_cond_signal)(condition);
}

ANA_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (replaying() && !g_host->crashed_here()) return 0;
  return REAL_CONDITION(pthread_cond_broadcast)(condition);
}

// The real one waits until nobody uses the condition any more; in replay nobody does.
ANA_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) {
  if (passive()) return REAL_CONDITION(pthread_cond_destroy)(condition);
  return rare_outcome([&] {
    Blocking blocking;
    return REAL_CONDITION(pthread_cond_destroy)(condition);
  });
}
