#include "runtime/interpose/cancellation.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "runtime/interpose/libc_access.h"
#include "runtime/layout.h"

__thread ana::Cancellation ana::t_cancellation;

namespace {

using namespace ana;

struct KernelAction {
  void (*handler)(int);
  uint64_t flags;
  void (*restorer)();
  uint64_t mask;
};

bool is_enabled() {
  int state = PTHREAD_CANCEL_ENABLE;
  ANA_REAL(pthread_setcancelstate)(PTHREAD_CANCEL_DISABLE, &state);
  if (state == PTHREAD_CANCEL_ENABLE) ANA_REAL(pthread_setcancelstate)(state, nullptr);
  return state == PTHREAD_CANCEL_ENABLE;
}

bool is_asynchronous() {
  int type = PTHREAD_CANCEL_DEFERRED;
  ANA_REAL(pthread_setcanceltype)(PTHREAD_CANCEL_DEFERRED, &type);
  if (type != PTHREAD_CANCEL_DEFERRED) ANA_REAL(pthread_setcanceltype)(type, nullptr);
  return type == PTHREAD_CANCEL_ASYNCHRONOUS;
}

void on_request(int) {
  t_cancellation.requested = true;
  if (!t_cancellation.waiting) {
    if (is_asynchronous()) end_if_cancellable();
  } else if (t_cancellation.condition) {
    pthread_cond_broadcast(t_cancellation.condition);
  }
}

int request(pthread_t thread) {
  int slot = g_host->thread_find(thread);
  if (slot < 0) return ESRCH;
  auto* shared = reinterpret_cast<SlotShared*>(layout::kSlots + static_cast<uint64_t>(slot) * layout::kSlotStride);
  if (shared->status.state == static_cast<uint32_t>(SlotState::kEnded)) return 0;
  long process = g_host->raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
  return static_cast<int>(-g_host->raw_call(SYS_tgkill, process, shared->status.tid, kCancelSignal, 0, 0, 0));
}

}  // namespace

void ana::cancellation_start() {
  is_enabled(), is_asynchronous();  // so that the handler need not look for the real functions
  KernelAction action{on_request, 0, nullptr, 0};
  g_host->system_call(SYS_rt_sigaction, kCancelSignal, reinterpret_cast<long>(&action), 0, 8, 0, 0);
}

// Once: what cleans up may be a cancellation point itself.
void ana::end_if_cancellable() {
  if (!is_enabled()) return;
  t_cancellation.requested = false;
  ANA_REAL(pthread_setcancelstate)(PTHREAD_CANCEL_DISABLE, nullptr);
  pthread_exit(PTHREAD_CANCELED);
}

bool ana::is_cancelled() { return t_cancellation.requested && is_enabled(); }

ANA_EXPORT int pthread_cancel(pthread_t thread) {
  if (passive()) return ANA_REAL(pthread_cancel)(thread);
  if (!pthread_equal(thread, pthread_self())) return rare_outcome([&] { return request(thread); });
  t_cancellation.requested = true;
  if (is_asynchronous()) end_if_cancellable();
  return 0;
}

ANA_EXPORT void pthread_testcancel() {
  if (passive()) return ANA_REAL(pthread_testcancel)();
  access::count();  // a request that has come is seen
  cancellation_point();
}

ANA_EXPORT int pthread_setcancelstate(int state, int* old) {
  int result = ANA_REAL(pthread_setcancelstate)(state, old);
  if (t_cancellation.requested && is_asynchronous()) end_if_cancellable();
  return result;
}

ANA_EXPORT int pthread_setcanceltype(int type, int* old) {
  int result = ANA_REAL(pthread_setcanceltype)(type, old);
  if (t_cancellation.requested && is_asynchronous()) end_if_cancellable();
  return result;
}
