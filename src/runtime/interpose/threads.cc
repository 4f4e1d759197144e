// Threads: created in recorded slots, on stacks at fixed addresses; joined after their recorded ends.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/interpose/cancellation.h"
#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/outcome.h"
#include "runtime/layout.h"

namespace {

using namespace ana;

struct Start {
  void* (*function)(void*);
  void* argument;
};
Start g_starts[kMaxSlots];

// A thread that leaves is counted by the C library after its destructors of thread-specific data, and the last one ends
// the program. So the host is told in the last round of these, by a value that counts the rounds.
pthread_key_t g_leaving;

void leave(void* round) {
  auto n = reinterpret_cast<intptr_t>(round);
  if (n < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(g_leaving, reinterpret_cast<void*>(n + 1));
  else if (!passive()) g_host->thread_leaving();
}

void will_leave() { pthread_setspecific(g_leaving, reinterpret_cast<void*>(1)); }

void* begin_thread(void* start) {
  Start mine = *static_cast<Start*>(start);
  g_host->thread_start();
  will_leave();
  void* result = mine.function(mine.argument);
  leave_dead_streams();
  return result;
}

void* begin_passive_thread(void* start) {
  Start mine = *static_cast<Start*>(start);
  free(start);
  give_passive_block();
  return mine.function(mine.argument);
}

constexpr long kSecondsBetweenLooks = 1;
constexpr size_t kLargestStack = layout::kThreadStackStride - (1 << 20);

// The program's own stack if it gave one; else one that depends on the slot only, fresh.
bool set_stack(pthread_attr_t* attributes, bool given, uint32_t slot) {
  void* at = nullptr;
  size_t size = 0;
  pthread_attr_getstack(attributes, &at, &size);
  bool is_own = reinterpret_cast<uint64_t>(at) + size != 0;  // without a stack, `at` is the size below address 0
  if (given && is_own) return true;
  pthread_attr_getstacksize(attributes, &size);
  size = (size + 4095) & ~size_t{4095};
  long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, base;
  if (size <= kLargestStack) {
    uint64_t top = layout::kThreadStacks + (slot + 1) * layout::kThreadStackStride;
    base = g_host->raw_call(SYS_mmap, static_cast<long>(top - size), static_cast<long>(size), PROT_READ | PROT_WRITE,
                            flags | MAP_FIXED, -1, 0);
  } else {
    base = g_host->system_call(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE, flags, -1, 0);
  }
  if (base < 0 && base > -4096) return false;
  return pthread_attr_setstack(attributes, reinterpret_cast<void*>(base), size) == 0;
}

int create(pthread_t* thread, const pthread_attr_t* wanted, void* (*function)(void*), void* argument) {
  KnownSection libc(WellKnown::kLibc);  // TLS is laid out here: in order with dlopen
  int slot = g_host->thread_prepare();
  if (slot < 0) return EAGAIN;
  pthread_attr_t attributes;
  if (wanted) {
    attributes = *wanted;
  } else {
    pthread_attr_init(&attributes);
  }
  int result = EAGAIN, detached = PTHREAD_CREATE_JOINABLE;
  pthread_t created;
  if (set_stack(&attributes, wanted, static_cast<uint32_t>(slot))) {
    g_starts[slot] = {function, argument};
    pthread_attr_getdetachstate(&attributes, &detached);
    if (detached == PTHREAD_CREATE_DETACHED) g_host->thread_detached(static_cast<uint32_t>(slot));
    result = ANA_REAL(pthread_create)(&created, &attributes, begin_thread, &g_starts[slot]);
  }
  if (!wanted) pthread_attr_destroy(&attributes);
  if (result) {
    g_host->thread_detached(static_cast<uint32_t>(slot));  // nobody will join it, whether it has lived or not
    return result;
  }
  access::write(thread, sizeof(*thread));
  *thread = created;
  return 0;
}

// A signal does not end the C library's wait, so it has to look whether it was asked to end.
int join_unless_cancelled(pthread_t thread, void** returned) {
  for (;;) {
    timespec until;
    g_host->raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&until), 0, 0, 0, 0);
    until.tv_sec += kSecondsBetweenLooks;
    int result = ANA_REAL(pthread_clockjoin_np)(thread, returned, CLOCK_MONOTONIC, &until);
    if (result != ETIMEDOUT) return result;
    if (is_cancelled()) return EINTR;
  }
}

template <class Join>
int join_with(pthread_t thread, Join join, void** value) {
  int slot = g_host->thread_find(thread);
  void* returned = nullptr;
  auto real = [&] {
    Blocking blocking;
    return join(&returned);
  };
  Wanting wanting(slot);
  int result = cancellable_outcome(nullptr, real, [&](int outcome) {
    if (outcome) return;
    if (replaying()) ANA_REAL(pthread_join)(thread, &returned);
    if (slot >= 0) g_host->thread_joined(static_cast<uint32_t>(slot));
  });
  if (result || !value) return result;
  access::write(value, sizeof(*value));
  *value = returned;
  return 0;
}

}  // namespace

void ana::threads_start() {
  if (ANA_REAL(pthread_key_create)(&g_leaving, leave) == 0) will_leave();
}

ANA_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                              void* argument) {
  ensure_started();
  if (!passive()) return create(thread, attributes, function, argument);
  auto* start = static_cast<Start*>(malloc(sizeof(Start)));
  if (!start) return EAGAIN;
  *start = {function, argument};
  int result = ANA_REAL(pthread_create)(thread, attributes, begin_passive_thread, start);
  if (result) free(start);
  return result;
}

ANA_EXPORT int pthread_join(pthread_t thread, void** value) {
  if (passive()) return ANA_REAL(pthread_join)(thread, value);
  return join_with(thread, [&](void** returned) { return join_unless_cancelled(thread, returned); }, value);
}

ANA_EXPORT int pthread_tryjoin_np(pthread_t thread, void** value) {
  if (passive()) return ANA_REAL(pthread_tryjoin_np)(thread, value);
  return join_with(thread, [&](void** returned) { return ANA_REAL(pthread_tryjoin_np)(thread, returned); }, value);
}

ANA_EXPORT int pthread_timedjoin_np(pthread_t thread, void** value, const timespec* until) {
  if (passive()) return ANA_REAL(pthread_timedjoin_np)(thread, value, until);
  return join_with(thread, [&](void** returned) { return ANA_REAL(pthread_timedjoin_np)(thread, returned, until); }, value);
}

ANA_EXPORT int pthread_detach(pthread_t thread) {
  if (passive()) return ANA_REAL(pthread_detach)(thread);
  int slot = g_host->thread_find(thread);
  int result = rare_outcome([&] { return ANA_REAL(pthread_detach)(thread); });
  if (replaying() && !result) ANA_REAL(pthread_detach)(thread);
  if (!result && slot >= 0) g_host->thread_detached(static_cast<uint32_t>(slot));
  return result;
}

namespace {

// The C library's own look whether the thread still runs, which in replay may be otherwise. The signal itself is sent in
// record only; who waits for it has it in the log. `send` is given ids of the process and of the thread.
template <class Send>
int send_to(pthread_t thread, Send send) {
  return rare_outcome([&] {
    int slot = g_host->thread_find(thread);
    if (slot < 0) return ESRCH;
    auto* shared = reinterpret_cast<SlotShared*>(layout::kSlots + static_cast<uint64_t>(slot) * layout::kSlotStride);
    if (shared->status.state == static_cast<uint32_t>(SlotState::kEnded)) return 0;
    return static_cast<int>(-send(g_host->raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0), static_cast<long>(shared->status.tid)));
  });
}

}  // namespace

ANA_EXPORT int pthread_kill(pthread_t thread, int signal) {
  if (passive() || pthread_equal(thread, pthread_self())) return ANA_REAL(pthread_kill)(thread, signal);
  return send_to(thread, [signal](long process, long id) {
    return g_host->raw_call(SYS_tgkill, process, id, signal, 0, 0, 0);
  });
}

ANA_EXPORT int pthread_sigqueue(pthread_t thread, int signal, const sigval value) {
  if (passive() || pthread_equal(thread, pthread_self())) return ANA_REAL(pthread_sigqueue)(thread, signal, value);
  return send_to(thread, [signal, value](long process, long id) {
    siginfo_t info{};
    info.si_signo = signal;
    info.si_code = SI_QUEUE;
    info.si_pid = static_cast<pid_t>(process);
    info.si_uid = static_cast<uid_t>(g_host->raw_call(SYS_getuid, 0, 0, 0, 0, 0, 0));
    info.si_value = value;
    return g_host->raw_call(SYS_rt_tgsigqueueinfo, process, id, signal, reinterpret_cast<long>(&info), 0, 0);
  });
}

// Which index a key gets depends on the order of the calls.
ANA_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  KnownSection libc(WellKnown::kLibc);
  return ANA_REAL(pthread_key_create)(key, destructor);
}

ANA_EXPORT int pthread_key_delete(pthread_key_t key) {
  KnownSection libc(WellKnown::kLibc);
  return ANA_REAL(pthread_key_delete)(key);
}

ANA_EXPORT long syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (long& value : a) value = va_arg(list, long);
  va_end(list);
  if (passive()) return ANA_REAL_AS(long(long, ...), "syscall", nullptr)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  long result = g_host->system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

ANA_EXPORT int sched_yield() {
  if (passive()) return ANA_REAL_AS(int(), "sched_yield", nullptr)();
  return static_cast<int>(g_host->system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0));
}
