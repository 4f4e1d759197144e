// Timers and message queues that start threads (notifications.h). As in the C library, a timer sends a signal to a helper
// thread that waits for it, and a queue writes to a socket that another one reads: both are inputs like others.
#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/notifications.h"

namespace {

using namespace ana;

constexpr int kTimerSignal = 32;  // blocked in the helper, which nobody asks to end by it (cancellation.h)
constexpr uint64_t kTimerSignals = uint64_t{1} << (kTimerSignal - 1);

struct Timer {
  Timer* next;
  timer_t id;
  Notification notification;
};

// Helpers do not survive a fork, and neither do timers. Under the mutex.
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
Timer* g_timers;
pid_t g_timer_process, g_timer_thread;  // whose helper it is, and its id once it runs
pid_t g_queue_process;
int g_queue_socket;

// A timer may have been deleted since its signal was sent.
bool is_known(const void* timer) {
  for (const Timer* t = g_timers; t; t = t->next)
    if (t == timer) return true;
  return false;
}

void* wait_for_timers(void*) {
  block_all_signals();
  {
    Locked locked(g_lock);
    g_timer_thread = static_cast<pid_t>(syscall(SYS_gettid));
    pthread_cond_broadcast(&g_changed);
  }
  for (;;) {
    siginfo_t info{};
    if (syscall(SYS_rt_sigtimedwait, &kTimerSignals, &info, nullptr, sizeof kTimerSignals) < 0) continue;
    if (info.si_code != SI_TIMER) continue;
    Locked locked(g_lock);
    if (is_known(info.si_value.sival_ptr)) notify(static_cast<Timer*>(info.si_value.sival_ptr)->notification, true);
  }
  return nullptr;
}

// With the lock. The id of the thread that waits for timers, or 0.
pid_t timer_thread() {
  pid_t process = getpid();
  if (g_timer_process != process) {
    g_timers = nullptr;
    g_timer_thread = 0;
    if (start_helper(wait_for_timers, nullptr)) return 0;
    g_timer_process = process;
  }
  while (!g_timer_thread) pthread_cond_wait(&g_changed, &g_lock);
  return g_timer_thread;
}

int create_timer(clockid_t clock, const sigevent& event, timer_t* id) {
  auto* timer = static_cast<Timer*>(malloc(sizeof(Timer)));
  if (!timer) {
    errno = EAGAIN;
    return -1;
  }
  timer->notification = notification_of(event);
  Locked locked(g_lock);
  sigevent to_helper{};
  to_helper.sigev_notify = SIGEV_THREAD_ID;
  to_helper.sigev_signo = kTimerSignal;
  to_helper.sigev_value.sival_ptr = timer;
  to_helper._sigev_un._tid = timer_thread();
  int error = to_helper._sigev_un._tid ? 0 : EAGAIN;
  if (!error && ANA_REAL(timer_create)(clock, &to_helper, &timer->id)) error = errno;
  if (error) {
    free(timer);
    errno = error;
    return -1;
  }
  timer->next = g_timers;
  g_timers = timer;
  access::write(id, sizeof *id);
  *id = timer->id;
  return 0;
}

void forget_timer(timer_t id) {
  Locked locked(g_lock);
  for (Timer** at = &g_timers; *at; at = &(*at)->next) {
    if ((*at)->id != id) continue;
    Timer* gone = *at;
    *at = gone->next;
    free(gone);
    return;
  }
}

// What the kernel sends through the socket: what it was given, with the last byte changed.
union Cookie {
  Notification* notification;
  char bytes[32];
};
constexpr char kWokenUp = 1;  // else the registration was removed

void* wait_for_queues(void* socket) {
  for (;;) {
    Cookie cookie;
    ssize_t got = recv(static_cast<int>(reinterpret_cast<intptr_t>(socket)), &cookie, sizeof cookie, MSG_WAITALL);
    if (got < static_cast<ssize_t>(sizeof cookie)) {
      if (got < 0 && errno == EINTR) continue;
      return nullptr;  // the program has closed it
    }
    Locked locked(g_lock);  // what it points to was written by another thread, and in replay nothing else makes us wait for that
    if (cookie.bytes[sizeof cookie - 1] == kWokenUp) notify(*cookie.notification, false);
    free(cookie.notification);
  }
}

// With the lock. The socket, or -1.
int queue_socket() {
  pid_t process = getpid();
  if (g_queue_process == process) return g_queue_socket;
  g_queue_socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
  if (g_queue_socket < 0) return -1;
  if (start_helper(wait_for_queues, reinterpret_cast<void*>(static_cast<intptr_t>(g_queue_socket)))) {
    close(g_queue_socket);
    return -1;
  }
  g_queue_process = process;
  return g_queue_socket;
}

int notify_of_queue(mqd_t queue, const sigevent& event) {
  Cookie cookie{};
  cookie.notification = static_cast<Notification*>(malloc(sizeof(Notification)));
  sigevent to_socket{};
  to_socket.sigev_notify = SIGEV_THREAD;
  to_socket.sigev_value.sival_ptr = &cookie;
  if (cookie.notification) {
    Locked locked(g_lock);
    *cookie.notification = notification_of(event);
    to_socket.sigev_signo = queue_socket();
  } else {
    to_socket.sigev_signo = -1;
  }
  if (to_socket.sigev_signo < 0) {
    free(cookie.notification);
    errno = ENOMEM;
    return -1;
  }
  int result = static_cast<int>(syscall(SYS_mq_notify, queue, &to_socket));
  if (result) free(cookie.notification);
  return result;
}

bool starts_thread(const sigevent* event) {
  if (!event) return false;
  access::read(event, sizeof *event);
  return event->sigev_notify == SIGEV_THREAD;
}

}  // namespace

ANA_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* id) {
  return starts_thread(event) ? create_timer(clock, *event, id) : ANA_REAL(timer_create)(clock, event, id);
}

ANA_EXPORT int timer_delete(timer_t id) {
  forget_timer(id);
  return ANA_REAL(timer_delete)(id);
}

ANA_EXPORT int mq_notify(mqd_t queue, const sigevent* event) {
  return starts_thread(event) ? notify_of_queue(queue, *event) : ANA_REAL(mq_notify)(queue, event);
}
