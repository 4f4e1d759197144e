#include "runtime/interpose/notifications.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/interpose/libc_access.h"

namespace {

using namespace ana;

constexpr int kIdentitySignal = 33;  // by which the C library changes user and group of every thread
constexpr uint64_t kNoSignals = 0, kAllSignals = ~(uint64_t{1} << (kIdentitySignal - 1));

// The C library's own functions leave its signals out.
void set_signals(const uint64_t& mask, uint64_t* old) { syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, old, sizeof mask); }

struct Start {
  Notification notification;
  bool unblock_signals;
};

void* begin_notification(void* start) {
  Start mine = *static_cast<Start*>(start);
  free(start);
  if (mine.unblock_signals) set_signals(kNoSignals, nullptr);
  mine.notification.function(mine.notification.value);
  return nullptr;
}

void copy_attributes(pthread_attr_t& to, const pthread_attr_t& from) {
  void* stack = nullptr;
  size_t size = 0;
  int number = 0;
  sched_param parameters{};
  pthread_attr_getstack(&from, &stack, &size);
  if (reinterpret_cast<uint64_t>(stack) + size != 0) pthread_attr_setstack(&to, stack, size);  // see set_stack()
  else if (pthread_attr_getstacksize(&from, &size) == 0) pthread_attr_setstacksize(&to, size);
  if (pthread_attr_getguardsize(&from, &size) == 0) pthread_attr_setguardsize(&to, size);
  if (pthread_attr_getinheritsched(&from, &number) == 0) pthread_attr_setinheritsched(&to, number);
  if (pthread_attr_getschedpolicy(&from, &number) == 0) pthread_attr_setschedpolicy(&to, number);
  if (pthread_attr_getschedparam(&from, &parameters) == 0) pthread_attr_setschedparam(&to, &parameters);
}

}  // namespace

Notification ana::notification_of(const sigevent& event) {
  Notification made{event.sigev_notify_function, event.sigev_value, {}};
  pthread_attr_init(&made.attributes);
  if (auto* wanted = static_cast<const pthread_attr_t*>(event.sigev_notify_attributes)) {
    access::read(wanted, sizeof *wanted);
    copy_attributes(made.attributes, *wanted);
  }
  pthread_attr_setdetachstate(&made.attributes, PTHREAD_CREATE_DETACHED);
  return made;
}

void ana::notify(const Notification& notification, bool unblock_signals) {
  auto* start = static_cast<Start*>(malloc(sizeof(Start)));
  if (!start) return;  // as the C library: there is nobody to tell
  *start = {notification, unblock_signals};
  pthread_t thread;
  if (pthread_create(&thread, &notification.attributes, begin_notification, start)) free(start);
}

int ana::start_helper(void* (*function)(void*), void* argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  uint64_t before = 0;
  pthread_t thread;
  set_signals(kAllSignals, &before);
  int result = pthread_create(&thread, &attributes, function, argument);
  set_signals(before, nullptr);
  pthread_attr_destroy(&attributes);
  return result;
}

void ana::block_all_signals() { set_signals(kAllSignals, nullptr); }
