// The two shapes that almost every synchronisation wrapper has.
#pragma once
#include <errno.h>

#include "runtime/interpose/runtime.h"

namespace ana {

// Record: runs `real`, which returns the outcome. Replay: the recorded outcome, without running anything. Outcomes other
// than 0 are logged; 0 is what is assumed.
template <class Real>
int rare_outcome(Real real) {
  Operation operation;
  if (replaying()) return g_host->next_is(kOpOutcome) ? static_cast<int>(g_host->get(kOpOutcome, nullptr, 0)) : 0;
  int result = real();
  if (result) g_host->put(kOpOutcome, result, nullptr, 0);
  return result;
}

// The same for functions that return -1 and set errno.
template <class Real>
int rare_errno(Real real) {
  int result = rare_outcome([&] { return real() ? errno : 0; });
  if (result) errno = result;
  return result ? -1 : 0;
}

// What a thread leaves to others before it waits for them, as an operation of its own: an event of an algorithm's trace is
// known by its count, so leaving and taking must not have the same.
inline void leave_to_others(const void* object) {
  Operation operation;
  if (!replaying()) g_host->object_release(object, true);
}

// Tries without blocking, then with everything given up. `attempt` returns `busy` if it would have to wait.
template <class Attempt, class Wait>
int without_holding(int busy, Attempt attempt, Wait wait) {
  int result = attempt();
  if (result != busy) return result;
  Blocking blocking;
  return wait();
}

}  // namespace ana
