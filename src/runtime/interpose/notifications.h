// Threads that are started for an event (SIGEV_THREAD). The C library starts them by itself, past our pthread_create; so
// what offers them is done here, with ordinary threads, as the C library does it. In programs that are not recorded as well:
// a thread of theirs needs a gs block, too.
//
// From the wrappers, on any thread. What the threads here share is under a mutex like the program's own, and so in order.
#pragma once
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

namespace ana {

class Locked {
 public:
  explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Locked() { pthread_mutex_unlock(&mutex_); }
  Locked(const Locked&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

struct Notification {
  void (*function)(sigval);
  sigval value;
  pthread_attr_t attributes;
};

// What the event asks for; the program may change its attributes afterwards.
Notification notification_of(const sigevent& event);
// Starts the thread. With the signals of the calling one blocked, or with none.
void notify(const Notification& notification, bool unblock_signals);
// A detached thread with all signals blocked but those of the C library. An error number.
int start_helper(void* (*function)(void*), void* argument);
// For the calling thread, also that of cancellation, which new threads never have blocked.
void block_all_signals();

}  // namespace ana
