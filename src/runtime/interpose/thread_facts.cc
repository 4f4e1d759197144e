// What a thread asks or changes of another. The C library's own look first whether that one still runs, by a word that the
// kernel clears when it ends, which may be earlier or later in a replay. So they run outside of the recording, and what they
// said is in the log. A thread that asks about itself makes ordinary system calls.
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "runtime/interpose/libc_access.h"

namespace {

using namespace ana;

constexpr size_t kLargestAnswer = 1024;  // of an affinity: 8,192 processors

bool is_plain(pthread_t thread) { return passive() || pthread_equal(thread, pthread_self()); }

// real(buffer) fills `bytes` of it, at most kLargestAnswer; they go to `to` if it succeeds.
template <class Real>
int ask(void* to, size_t bytes, Real real) {
  alignas(16) char answer[kLargestAnswer] = {};
  auto size = static_cast<uint32_t>(bytes);
  int result;
  {
    Operation operation;
    if (replaying()) {
      result = static_cast<int>(g_host->get(kOpLibrary, answer, size));
    } else {
      g_host->outside_begin(false);
      result = real(answer);
      g_host->outside_end();
      g_host->put(kOpLibrary, result, answer, size);
    }
  }
  if (result == 0) access::copy(to, answer, bytes);
  return result;
}

// `change` has no answer.
template <class Change>
int tell(Change change) {
  return ask(nullptr, 0, [&](char*) { return change(); });
}

struct Schedule {
  int policy;
  sched_param parameters;
};

}  // namespace

ANA_EXPORT int pthread_getname_np(pthread_t thread, char* name, size_t size) {
  if (is_plain(thread)) return ANA_REAL(pthread_getname_np)(thread, name, size);
  size_t room = size < kLargestAnswer ? size : kLargestAnswer;
  return ask(name, room, [&](char* to) { return ANA_REAL(pthread_getname_np)(thread, to, room); });
}

ANA_EXPORT int pthread_setname_np(pthread_t thread, const char* name) {
  if (is_plain(thread)) return ANA_REAL(pthread_setname_np)(thread, name);
  access::read_string(name);
  return tell([&] { return ANA_REAL(pthread_setname_np)(thread, name); });
}

ANA_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* set) {
  if (is_plain(thread)) return ANA_REAL(pthread_getaffinity_np)(thread, size, set);
  size_t room = size < kLargestAnswer ? size : kLargestAnswer;
  int result = ask(set, room, [&](char* to) {
    return ANA_REAL(pthread_getaffinity_np)(thread, room, reinterpret_cast<cpu_set_t*>(to));
  });
  if (result == 0) access::fill(reinterpret_cast<char*>(set) + room, 0, size - room);
  return result;
}

ANA_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* set) {
  if (is_plain(thread)) return ANA_REAL(pthread_setaffinity_np)(thread, size, set);
  access::read_all(set, size);
  return tell([&] { return ANA_REAL(pthread_setaffinity_np)(thread, size, set); });
}

ANA_EXPORT int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) {
  if (is_plain(thread)) return ANA_REAL(pthread_getcpuclockid)(thread, clock);
  return ask(clock, sizeof *clock, [&](char* to) {
    return ANA_REAL(pthread_getcpuclockid)(thread, reinterpret_cast<clockid_t*>(to));
  });
}

// The C library keeps these with the thread once it knows them, so that whether it asks the kernel depends on who asked before.
ANA_EXPORT int pthread_getschedparam(pthread_t thread, int* policy, sched_param* parameters) {
  if (passive()) return ANA_REAL(pthread_getschedparam)(thread, policy, parameters);
  Schedule found{};
  int result = ask(&found, sizeof found, [&](char* to) {
    auto* schedule = reinterpret_cast<Schedule*>(to);
    return ANA_REAL(pthread_getschedparam)(thread, &schedule->policy, &schedule->parameters);
  });
  if (result) return result;
  access::copy(policy, &found.policy, sizeof *policy);
  access::copy(parameters, &found.parameters, sizeof *parameters);
  return 0;
}

// It tells of the same scheduling, and whether it knows it.
ANA_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) {
  if (passive()) return ANA_REAL(pthread_getattr_np)(thread, attributes);
  pthread_attr_t found{};
  int result = ANA_REAL(pthread_getattr_np)(thread, &found);  // also in a replay: it has memory behind it
  {
    Operation operation;
    if (replaying()) result = static_cast<int>(g_host->get(kOpLibrary, &found, sizeof found));
    else g_host->put(kOpLibrary, result, &found, sizeof found);
  }
  if (result == 0) access::copy(attributes, &found, sizeof found);
  return result;
}

ANA_EXPORT int pthread_setschedparam(pthread_t thread, int policy, const sched_param* parameters) {
  if (passive()) return ANA_REAL(pthread_setschedparam)(thread, policy, parameters);
  access::read(parameters, sizeof *parameters);
  return tell([&] { return ANA_REAL(pthread_setschedparam)(thread, policy, parameters); });
}

ANA_EXPORT int pthread_setschedprio(pthread_t thread, int priority) {
  if (passive()) return ANA_REAL(pthread_setschedprio)(thread, priority);
  return tell([&] { return ANA_REAL(pthread_setschedprio)(thread, priority); });
}
