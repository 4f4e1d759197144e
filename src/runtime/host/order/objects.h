// Ordered objects: locks, semaphores, barriers, FILEs, pools. Netzer's rule: a lock is one more shared variable. An object
// remembers who released it last, in which epoch; who acquires it comes after that.
//
// By the thread concerned, inside an operation: acquire after the real operation has succeeded, release before the real
// one. In replay the edges are enforced by the operation's begin and end; what is done here is to tell of the event
// (references.h).
//
// A *section* is a mutual exclusion made of an ordered object; recursive.
#pragma once
#include "runtime/host/slot.h"
#include "runtime/host_api.h"

namespace ana {

void object_acquire(const void* object, Told as);
void object_release(const void* object, bool hand_over, Told as);

void section_enter(const void* object, bool as_lock);
void section_leave(const void* object, bool as_lock);
void known_enter(WellKnown object);
void known_leave(WellKnown object);
// In the child of a fork, and where a replay becomes one: threads that are not there are in no section.
void sections_forked(const Slot& slot);

class KnownGuard {
 public:
  explicit KnownGuard(WellKnown object) : object_(object) { known_enter(object); }
  ~KnownGuard() { known_leave(object_); }

 private:
  WellKnown object_;
};

}  // namespace ana
