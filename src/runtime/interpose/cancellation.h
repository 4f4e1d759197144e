// pthread_cancel. The C library's own marks the other thread at any moment, and that one finds out when it looks; here a
// request is a signal to the thread, taken at a recorded point (host/signals), and what is marked is the thread's own.
//
// A thread that is asked ends at once if it waits in a cancellation point, which the C library tells by making
// cancellation asynchronous there; else at the next one. Ending is pthread_exit(PTHREAD_CANCELED).
//
// Waits of our wrappers do not happen in replay, so a request does not end them from within: it makes them return.
#pragma once
#include <errno.h>
#include <pthread.h>

#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/outcome.h"
#include "runtime/interpose/runtime.h"

namespace ana {

constexpr int kCancelSignal = 32;  // the one that the C library would use

struct Cancellation {
  bool requested;
  bool waiting;                // in a wait of ours
  pthread_cond_t* condition;   // on this, if it is one that a signal does not end
};
extern __thread Cancellation t_cancellation __attribute__((tls_model("initial-exec")));

// Before the first thread.
void cancellation_start();
// Ends the thread, if it allows that.
void end_if_cancellable();
// A request has come that the thread would follow.
bool is_cancelled();
// A cancellation point.
inline void cancellation_point() {
  if (__builtin_expect(t_cancellation.requested, 0)) end_if_cancellable();
}

// rare_outcome() of a wait that a request makes return: by EINTR, or by waking everybody who waits on the condition.
template <class Real, class After>
int cancellable_outcome(pthread_cond_t* condition, Real real, After after) {
  access::count();  // a request that has come is seen also if there is nothing to wait for
  cancellation_point();
  t_cancellation.waiting = true;
  t_cancellation.condition = condition;
  int result = rare_outcome(real, after);
  t_cancellation.waiting = false;
  if (condition || result == EINTR) cancellation_point();
  return result;
}

}  // namespace ana
