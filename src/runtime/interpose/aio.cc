// Asynchronous input and output. The C library does it with threads of its own, past our pthread_create; here workers are
// ordinary threads that make ordinary calls. As there, requests on one descriptor are done one after the other, by their
// priority, and those on different ones side by side; a worker ends when there is nothing more to do.
//
// The state of a request is in the program's aiocb, and changes under the mutex below.
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/notifications.h"

namespace {

using namespace ana;

constexpr int kMaxWorkers = 16, kMaxPriority = 20;  // AIO_PRIO_DELTA_MAX
enum class Kind { kRead, kWrite, kSync, kDataSync };

// Requests of one lio_listio that nobody waits for.
struct Group {
  int left;
  sigevent event;
  Notification notification;
};

struct Request {
  Request* next;
  aiocb* block;
  Kind kind;
  bool running;
  Group* group;
  int descriptor, priority;
  void* buffer;
  size_t bytes;
  off_t offset;
  sigevent event;
  Notification notification;
};

// All under the mutex. A fork takes neither requests nor workers along.
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_done = PTHREAD_COND_INITIALIZER;
Request* g_requests;  // by priority, then as they came
int g_workers;
pid_t g_process;

int fail(int error) {
  errno = error;
  return -1;
}

// The state of a request is seen without the mutex, since handlers may ask for it, also where they interrupt one of us.
constexpr AnaSite kSeeState{0, 0, 0, ANA_SITE_ATOMIC | ANA_SITE_ACQUIRE};
constexpr AnaSite kSetState{0, 0, 0, ANA_SITE_WRITE | ANA_SITE_ATOMIC | ANA_SITE_RELEASE};

int state_of(const aiocb* block) {
  AnaRange range = access::range_of(&block->__error_code, sizeof block->__error_code, false);
  if (!passive()) access::acquire(&range, 1, &kSeeState);
  return __atomic_load_n(&block->__error_code, __ATOMIC_ACQUIRE);  // pairs with set_state()
}

void set_state(aiocb* block, int error, ssize_t result) {
  access::write(&block->__return_value, sizeof block->__return_value);
  block->__return_value = result;
  AnaRange range = access::range_of(&block->__error_code, sizeof block->__error_code, true);
  if (!passive()) access::acquire(&range, 1, &kSetState);
  __atomic_store_n(&block->__error_code, error, __ATOMIC_RELEASE);
}

// The Notification of an event that wants a thread.
Notification prepared(const sigevent& event) {
  return event.sigev_notify == SIGEV_THREAD ? notification_of(event) : Notification{};
}

void tell(const sigevent& event, const Notification& notification) {
  if (event.sigev_notify == SIGEV_THREAD) return notify(notification, false);
  if (event.sigev_notify != SIGEV_SIGNAL) return;
  siginfo_t info{};
  info.si_signo = event.sigev_signo;
  info.si_code = SI_ASYNCIO;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value = event.sigev_value;
  syscall(SYS_rt_sigqueueinfo, info.si_pid, info.si_signo, &info);
}

// The next that may run: none on its descriptor does.
Request* choose() {
  for (Request* r = g_requests; r; r = r->next) {
    bool busy = r->running;
    for (Request* other = g_requests; other && !busy; other = other->next)
      busy = other->running && other->descriptor == r->descriptor;
    if (!busy) return r;
  }
  return nullptr;
}

void finish(Request* request, int error, ssize_t result) {
  for (Request** at = &g_requests; *at; at = &(*at)->next) {
    if (*at != request) continue;
    *at = request->next;
    break;
  }
  set_state(request->block, error, result);
  tell(request->event, request->notification);
  if (Group* group = request->group; group && --group->left == 0) {
    tell(group->event, group->notification);
    free(group);
  }
  free(request);
  pthread_cond_broadcast(&g_done);
}

ssize_t run_once(const Request& r) {
  ssize_t result = 0;
  switch (r.kind) {
    case Kind::kRead:
      result = pread(r.descriptor, r.buffer, r.bytes, r.offset);
      return result < 0 && errno == ESPIPE ? read(r.descriptor, r.buffer, r.bytes) : result;
    case Kind::kWrite:
      result = pwrite(r.descriptor, r.buffer, r.bytes, r.offset);
      return result < 0 && errno == ESPIPE ? write(r.descriptor, r.buffer, r.bytes) : result;
    case Kind::kSync: return fsync(r.descriptor);
    case Kind::kDataSync: return fdatasync(r.descriptor);
  }
  return result;
}

void* work(void*) {
  Locked locked(g_lock);
  while (Request* request = choose()) {
    request->running = true;
    pthread_mutex_unlock(&g_lock);
    ssize_t result;
    do result = run_once(*request);
    while (result < 0 && errno == EINTR);
    int error = result < 0 ? errno : 0;
    pthread_mutex_lock(&g_lock);
    finish(request, error, result);
  }
  --g_workers;
  return nullptr;
}

// With the lock. An error number.
int enqueue(aiocb* block, Kind kind, Group* group) {
  if (pid_t process = getpid(); g_process != process) {
    g_process = process;
    g_requests = nullptr;
    g_workers = 0;
  }
  access::read(block, sizeof *block);
  bool syncs = kind == Kind::kSync || kind == Kind::kDataSync;  // after everything that is queued
  if (!syncs && (block->aio_reqprio < 0 || block->aio_reqprio > kMaxPriority)) return EINVAL;
  auto* request = static_cast<Request*>(malloc(sizeof(Request)));
  if (!request) return EAGAIN;
  *request = {nullptr, block, kind, false, group, block->aio_fildes, syncs ? kMaxPriority + 1 : block->aio_reqprio,
              const_cast<void*>(block->aio_buf), block->aio_nbytes, block->aio_offset, block->aio_sigevent,
              prepared(block->aio_sigevent)};
  Request** at = &g_requests;
  while (*at && (*at)->priority <= request->priority) at = &(*at)->next;
  request->next = *at;
  *at = request;
  set_state(block, EINPROGRESS, 0);
  if (!choose() || g_workers == kMaxWorkers) return 0;
  ++g_workers;
  if (!start_helper(work, nullptr) || --g_workers) return 0;  // another worker will come to it
  *at = request->next;
  free(request);
  set_state(block, EAGAIN, -1);
  return EAGAIN;
}

int submit(aiocb* block, Kind kind) {
  Locked locked(g_lock);
  int error = enqueue(block, kind, nullptr);
  return error ? fail(error) : 0;
}

// With the lock. False when the time is over.
bool wait_for_change(const timespec* until) {
  if (!until) return pthread_cond_wait(&g_done, &g_lock) == 0;
  return pthread_cond_clockwait(&g_done, &g_lock, CLOCK_MONOTONIC, until) != ETIMEDOUT;
}

int suspend(const aiocb* const blocks[], int count, const timespec* timeout) {
  timespec until{};
  if (timeout) {
    access::read(timeout, sizeof *timeout);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout->tv_sec + (until.tv_nsec + timeout->tv_nsec) / 1'000'000'000;
    until.tv_nsec = (until.tv_nsec + timeout->tv_nsec) % 1'000'000'000;
  }
  if (count > 0) access::read(blocks, static_cast<size_t>(count) * sizeof *blocks);
  Locked locked(g_lock);
  for (bool in_time = true;;) {
    bool any = false;
    for (int i = 0; i < count; ++i) {
      if (!blocks[i]) continue;
      if (state_of(blocks[i]) != EINPROGRESS) return 0;
      any = true;
    }
    if (!any) return 0;
    if (!in_time) return fail(EAGAIN);
    in_time = wait_for_change(timeout ? &until : nullptr);
  }
}

int cancel(int descriptor, const aiocb* block) {
  if (fcntl(descriptor, F_GETFL) < 0) return fail(EBADF);
  Locked locked(g_lock);
  int result = AIO_ALLDONE;
  for (Request *r = g_requests, *next; r; r = next) {
    next = r->next;
    if (r->descriptor != descriptor || (block && r->block != block)) continue;
    if (r->running) {
      result = AIO_NOTCANCELED;
      continue;
    }
    if (result == AIO_ALLDONE) result = AIO_CANCELED;
    finish(r, ECANCELED, -1);
  }
  return result;
}

// LIO_WAIT: until all of them are done.
int wait_for_all(aiocb* const list[], int count, bool failed) {
  for (int i = 0; i < count; ++i) {
    if (!list[i]) continue;
    while (state_of(list[i]) == EINPROGRESS) wait_for_change(nullptr);
    failed |= state_of(list[i]) != 0;
  }
  return failed ? fail(EIO) : 0;
}

int submit_list(int mode, aiocb* const list[], int count, sigevent* event) {
  if ((mode != LIO_WAIT && mode != LIO_NOWAIT) || count < 0) return fail(EINVAL);
  if (count) access::read(list, static_cast<size_t>(count) * sizeof *list);
  Group* group = nullptr;
  if (mode == LIO_NOWAIT && event) {
    access::read(event, sizeof *event);
    group = static_cast<Group*>(malloc(sizeof(Group)));
    if (!group) return fail(EAGAIN);
    *group = {1, *event, prepared(*event)};  // one until all are in
  }
  Locked locked(g_lock);
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    if (!list[i] || list[i]->aio_lio_opcode == LIO_NOP) continue;
    bool reads = list[i]->aio_lio_opcode == LIO_READ;
    if (group) ++group->left;
    if (!reads && list[i]->aio_lio_opcode != LIO_WRITE) set_state(list[i], EINVAL, -1);
    else if (enqueue(list[i], reads ? Kind::kRead : Kind::kWrite, group) == 0) continue;
    failed = true;
    if (group) --group->left;
  }
  if (mode == LIO_WAIT) return wait_for_all(list, count, failed);
  if (group && --group->left == 0) {
    tell(group->event, group->notification);
    free(group);
  }
  return failed ? fail(EIO) : 0;
}

int sync(int operation, aiocb* block) {
  if (operation != O_SYNC && operation != O_DSYNC) return fail(EINVAL);
  access::read(block, sizeof *block);
  int flags = fcntl(block->aio_fildes, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return fail(EBADF);
  return submit(block, operation == O_SYNC ? Kind::kSync : Kind::kDataSync);
}

ssize_t result_of(aiocb* block) {
  access::read(&block->__return_value, sizeof block->__return_value);
  return block->__return_value;
}

aiocb* as_plain(aiocb64* block) { return reinterpret_cast<aiocb*>(block); }
const aiocb* as_plain(const aiocb64* block) { return reinterpret_cast<const aiocb*>(block); }
static_assert(sizeof(aiocb) == sizeof(aiocb64));

}  // namespace

ANA_EXPORT int aio_read(aiocb* block) { return submit(block, Kind::kRead); }
ANA_EXPORT int aio_write(aiocb* block) { return submit(block, Kind::kWrite); }
ANA_EXPORT int aio_fsync(int operation, aiocb* block) { return sync(operation, block); }
ANA_EXPORT int aio_error(const aiocb* block) { return state_of(block); }
ANA_EXPORT ssize_t aio_return(aiocb* block) { return result_of(block); }
ANA_EXPORT int aio_cancel(int descriptor, aiocb* block) { return cancel(descriptor, block); }
ANA_EXPORT int aio_suspend(const aiocb* const blocks[], int count, const timespec* timeout) {
  return suspend(blocks, count, timeout);
}
ANA_EXPORT int lio_listio(int mode, aiocb* const list[], int count, sigevent* event) {
  return submit_list(mode, list, count, event);
}

ANA_EXPORT int aio_read64(aiocb64* block) { return submit(as_plain(block), Kind::kRead); }
ANA_EXPORT int aio_write64(aiocb64* block) { return submit(as_plain(block), Kind::kWrite); }
ANA_EXPORT int aio_fsync64(int operation, aiocb64* block) { return sync(operation, as_plain(block)); }
ANA_EXPORT int aio_error64(const aiocb64* block) { return state_of(as_plain(block)); }
ANA_EXPORT ssize_t aio_return64(aiocb64* block) { return result_of(as_plain(block)); }
ANA_EXPORT int aio_cancel64(int descriptor, aiocb64* block) { return cancel(descriptor, as_plain(block)); }
ANA_EXPORT int aio_suspend64(const aiocb64* const blocks[], int count, const timespec* timeout) {
  return suspend(reinterpret_cast<const aiocb* const*>(blocks), count, timeout);
}
ANA_EXPORT int lio_listio64(int mode, aiocb64* const list[], int count, sigevent* event) {
  return submit_list(mode, reinterpret_cast<aiocb* const*>(list), count, event);
}
