// Clocks and calendars.
//
// Reading a clock is an input. Hosted, the program has no vDSO; the host has, and is asked directly. Calendar functions
// read the time zone: ordered, see libc_wrappers.h.
#include "runtime/interpose/libc_wrappers.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <time.h>

namespace ana {
namespace {

long ask_host(long number, long a, const void* b, long c = 0) {
  long result = g_host->system_call(number, a, reinterpret_cast<long>(b), c, 0, 0, 0);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

void write_time(struct tm* to) { access::write_all(to, sizeof *to); }
void read_time(const void* from, size_t bytes) { access::read_all(from, bytes); }

// A result that the library keeps in a place of its own: the place is taken before it is written, once it is known. Inside
// kLibc.
template <class T, size_t kBytes, class Function>
T* in_common_place(T*& place, Function function) {
  if (place) access::write_all(place, kBytes);
  T* result = function();
  if (result && !place) {
    place = result;
    access::write_all(place, kBytes);
  }
  return result;
}

struct tm* g_common_time;   // of localtime and gmtime
char* g_common_text;        // of asctime and ctime
constexpr size_t kCommonText = 26;

}  // namespace
}  // namespace ana

#define ANA_IN_COMMON_TIME(name)                                                                          \
  ANA_EXPORT struct tm* name(const time_t* at) noexcept {                                                 \
    ana::KnownSection section(ana::WellKnown::kLibc);                                                     \
    ana::read_time(at, sizeof *at);                                                                       \
    return ana::in_common_place<struct tm, sizeof(struct tm)>(ana::g_common_time,                         \
                                                              [at] { return ANA_REAL(name)(at); });       \
  }
#define ANA_IN_COMMON_TEXT(name, type)                                                                    \
  ANA_EXPORT char* name(const type* at) noexcept {                                                        \
    ana::KnownSection section(ana::WellKnown::kLibc);                                                     \
    ana::read_time(at, sizeof *at);                                                                       \
    return ana::in_common_place<char, ana::kCommonText>(ana::g_common_text,                               \
                                                        [at] { return ANA_REAL(name)(at); });             \
  }

ANA_EXPORT int clock_gettime(clockid_t clock, struct timespec* to) noexcept {
  if (ana::passive()) return ANA_REAL(clock_gettime)(clock, to);
  return static_cast<int>(ana::ask_host(SYS_clock_gettime, clock, to));
}

ANA_EXPORT int clock_getres(clockid_t clock, struct timespec* to) noexcept {
  if (ana::passive()) return ANA_REAL(clock_getres)(clock, to);
  return static_cast<int>(ana::ask_host(SYS_clock_getres, clock, to));
}

ANA_EXPORT int gettimeofday(struct timeval* to, void* zone) noexcept {
  if (ana::passive()) return ANA_REAL(gettimeofday)(to, zone);
  return static_cast<int>(ana::ask_host(SYS_gettimeofday, reinterpret_cast<long>(to), zone));
}

ANA_EXPORT time_t time(time_t* to) noexcept {
  if (ana::passive()) return ANA_REAL(time)(to);
  return ana::ask_host(SYS_time, reinterpret_cast<long>(to), nullptr);
}

ANA_EXPORT int timespec_get(struct timespec* to, int base) noexcept {
  if (ana::passive()) return ANA_REAL(timespec_get)(to, base);
  return base == TIME_UTC && ana::ask_host(SYS_clock_gettime, CLOCK_REALTIME, to) == 0 ? base : 0;
}

ANA_EXPORT int getcpu(unsigned* cpu, unsigned* node) noexcept {
  if (ana::passive()) return ANA_REAL(getcpu)(cpu, node);
  return static_cast<int>(ana::ask_host(SYS_getcpu, reinterpret_cast<long>(cpu), node));
}

ANA_EXPORT int sched_getcpu() noexcept {
  if (ana::passive()) return ANA_REAL(sched_getcpu)();
  unsigned cpu = 0;
  return ana::ask_host(SYS_getcpu, reinterpret_cast<long>(&cpu), nullptr) == 0 ? static_cast<int>(cpu) : -1;
}

ANA_IN_COMMON_TIME(localtime)
ANA_IN_COMMON_TIME(gmtime)
ANA_IN_LIBC(struct tm*, localtime_r, (const time_t* at, struct tm* to) noexcept, (at, to),
            ana::read_time(at, sizeof *at), ana::write_time(to))
ANA_IN_LIBC(struct tm*, gmtime_r, (const time_t* at, struct tm* to) noexcept, (at, to), ana::read_time(at, sizeof *at),
            ana::write_time(to))
ANA_IN_LIBC(time_t, mktime, (struct tm* at) noexcept, (at), ana::write_time(at))
ANA_IN_LIBC(time_t, timelocal, (struct tm* at) noexcept, (at), ana::write_time(at))
ANA_IN_LIBC(time_t, timegm, (struct tm* at) noexcept, (at), ana::write_time(at))
ANA_IN_LIBC(void, tzset, () noexcept, ())
ANA_IN_LIBC(size_t, strftime, (char* to, size_t n, const char* s, const struct tm* at) noexcept, (to, n, s, at),
            ana::read_time(at, sizeof *at), ana::access::write_all(to, n < 1024 ? n : 1024))
ANA_IN_LIBC(size_t, strftime_l, (char* to, size_t n, const char* s, const struct tm* at, locale_t it) noexcept,
            (to, n, s, at, it), ana::read_time(at, sizeof *at), ana::access::write_all(to, n < 1024 ? n : 1024))
ANA_IN_LIBC(char*, strptime, (const char* s, const char* format, struct tm* to) noexcept, (s, format, to),
            ana::access::read_string(s), ana::write_time(to))
ANA_IN_COMMON_TEXT(ctime, time_t)
ANA_IN_LIBC(char*, ctime_r, (const time_t* at, char* to) noexcept, (at, to), ana::read_time(at, sizeof *at),
            ana::access::write_all(to, 26))
ANA_IN_COMMON_TEXT(asctime, struct tm)
ANA_IN_LIBC(char*, asctime_r, (const struct tm* at, char* to) noexcept, (at, to), ana::read_time(at, sizeof *at),
            ana::access::write_all(to, 26))
ANA_IN_LIBC(struct tm*, getdate, (const char* s), (s), ana::access::read_string(s))
