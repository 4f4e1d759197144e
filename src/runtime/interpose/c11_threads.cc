// C11 threads. The C library's own go past our pthread functions, and their types are the same underneath.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "runtime/interpose/libc_access.h"

namespace {

int as_thrd(int error) {
  switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
  }
  return thrd_error;
}

struct Start {
  thrd_start_t function;
  void* argument;
};

void* begin(void* start) {
  Start mine = *static_cast<Start*>(start);
  free(start);
  return reinterpret_cast<void*>(static_cast<intptr_t>(mine.function(mine.argument)));
}

pthread_mutex_t* as_pthread(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* as_pthread(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace

ANA_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto* start = static_cast<Start*>(malloc(sizeof(Start)));
  if (!start) return thrd_nomem;
  *start = {function, argument};
  int result = pthread_create(thread, nullptr, begin, start);
  if (result) free(start);
  return as_thrd(result);
}

ANA_EXPORT int thrd_join(thrd_t thread, int* value) {
  void* returned = nullptr;
  int result = pthread_join(thread, &returned);
  if (!result && value) {
    ana::access::write(value, sizeof(*value));
    *value = static_cast<int>(reinterpret_cast<intptr_t>(returned));
  }
  return as_thrd(result);
}

ANA_EXPORT int thrd_detach(thrd_t thread) { return as_thrd(pthread_detach(thread)); }
ANA_EXPORT void thrd_yield() { sched_yield(); }

ANA_EXPORT int mtx_lock(mtx_t* mutex) { return as_thrd(pthread_mutex_lock(as_pthread(mutex))); }
ANA_EXPORT int mtx_trylock(mtx_t* mutex) { return as_thrd(pthread_mutex_trylock(as_pthread(mutex))); }
ANA_EXPORT int mtx_unlock(mtx_t* mutex) { return as_thrd(pthread_mutex_unlock(as_pthread(mutex))); }
ANA_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return as_thrd(pthread_mutex_timedlock(as_pthread(mutex), until));
}

ANA_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return as_thrd(pthread_cond_wait(as_pthread(condition), as_pthread(mutex)));
}
ANA_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return as_thrd(pthread_cond_timedwait(as_pthread(condition), as_pthread(mutex), until));
}
ANA_EXPORT int cnd_signal(cnd_t* condition) { return as_thrd(pthread_cond_signal(as_pthread(condition))); }
ANA_EXPORT int cnd_broadcast(cnd_t* condition) { return as_thrd(pthread_cond_broadcast(as_pthread(condition))); }
ANA_EXPORT void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(as_pthread(condition)); }
ANA_EXPORT void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}
ANA_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  return as_thrd(pthread_key_create(reinterpret_cast<pthread_key_t*>(key), destructor));
}
