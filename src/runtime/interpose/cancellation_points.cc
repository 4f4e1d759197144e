// Functions of the C library at which a thread that was asked to end does so. While they wait, the request itself ends
// them (cancellation.h); here is what happens if it came before.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/interpose/cancellation.h"

#define ANA_POINT(result, name, parameters, arguments) \
  ANA_EXPORT result name parameters {                  \
    ana::cancellation_point();                         \
    return ANA_REAL(name) arguments;                   \
  }

ANA_POINT(ssize_t, read, (int fd, void* to, size_t n), (fd, to, n))
ANA_POINT(ssize_t, write, (int fd, const void* from, size_t n), (fd, from, n))
ANA_POINT(ssize_t, pread, (int fd, void* to, size_t n, off_t at), (fd, to, n, at))
ANA_POINT(ssize_t, pwrite, (int fd, const void* from, size_t n, off_t at), (fd, from, n, at))
ANA_POINT(ssize_t, readv, (int fd, const iovec* parts, int n), (fd, parts, n))
ANA_POINT(ssize_t, writev, (int fd, const iovec* parts, int n), (fd, parts, n))
ANA_POINT(int, close, (int fd), (fd))
ANA_POINT(int, fsync, (int fd), (fd))
ANA_POINT(int, fdatasync, (int fd), (fd))
ANA_POINT(int, nanosleep, (const timespec* time, timespec* left), (time, left))
ANA_POINT(int, clock_nanosleep, (clockid_t clock, int flags, const timespec* time, timespec* left),
          (clock, flags, time, left))
ANA_POINT(unsigned, sleep, (unsigned seconds), (seconds))
ANA_POINT(int, usleep, (useconds_t time), (time))
ANA_POINT(int, pause, (), ())
ANA_POINT(int, poll, (pollfd * fds, nfds_t n, int limit), (fds, n, limit))
ANA_POINT(int, ppoll, (pollfd * fds, nfds_t n, const timespec* limit, const sigset_t* mask), (fds, n, limit, mask))
ANA_POINT(int, select, (int n, fd_set* read, fd_set* write, fd_set* other, timeval* limit), (n, read, write, other, limit))
ANA_POINT(int, pselect, (int n, fd_set* read, fd_set* write, fd_set* other, const timespec* limit, const sigset_t* mask),
          (n, read, write, other, limit, mask))
ANA_POINT(int, epoll_wait, (int fd, epoll_event* events, int n, int limit), (fd, events, n, limit))
ANA_POINT(int, epoll_pwait, (int fd, epoll_event* events, int n, int limit, const sigset_t* mask),
          (fd, events, n, limit, mask))
ANA_POINT(int, accept, (int fd, sockaddr* from, socklen_t* n), (fd, from, n))
ANA_POINT(int, accept4, (int fd, sockaddr* from, socklen_t* n, int flags), (fd, from, n, flags))
ANA_POINT(int, connect, (int fd, const sockaddr* to, socklen_t n), (fd, to, n))
ANA_POINT(ssize_t, recv, (int fd, void* to, size_t n, int flags), (fd, to, n, flags))
ANA_POINT(ssize_t, recvfrom, (int fd, void* to, size_t n, int flags, sockaddr* from, socklen_t* length),
          (fd, to, n, flags, from, length))
ANA_POINT(ssize_t, recvmsg, (int fd, msghdr* message, int flags), (fd, message, flags))
ANA_POINT(ssize_t, send, (int fd, const void* from, size_t n, int flags), (fd, from, n, flags))
ANA_POINT(ssize_t, sendto, (int fd, const void* from, size_t n, int flags, const sockaddr* to, socklen_t length),
          (fd, from, n, flags, to, length))
ANA_POINT(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), (fd, message, flags))
ANA_POINT(int, sigsuspend, (const sigset_t* mask), (mask))
ANA_POINT(int, sigwait, (const sigset_t* set, int* signal), (set, signal))
ANA_POINT(int, sigwaitinfo, (const sigset_t* set, siginfo_t* info), (set, info))
ANA_POINT(int, sigtimedwait, (const sigset_t* set, siginfo_t* info, const timespec* limit), (set, info, limit))
ANA_POINT(pid_t, wait, (int* status), (status))
ANA_POINT(pid_t, waitpid, (pid_t process, int* status, int options), (process, status, options))
ANA_POINT(int, waitid, (idtype_t kind, id_t id, siginfo_t* info, int options), (kind, id, info, options))
